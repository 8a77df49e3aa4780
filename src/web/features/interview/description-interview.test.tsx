import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { type FlowRun, freezeTime, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { DescriptionInterview } from './index.tsx';
import { createFakeCall, type FakeCall } from '#tests/support/web/fake-call.ts';
import { bindInterview, prepareLine, requestTicket, startCall } from '#tests/support/web/fake-line.ts';

vi.mock('./voice/client.ts', () => import('#tests/support/web/fake-line.ts'));
vi.mock('./voice/start-call.ts', () => import('#tests/support/web/fake-line.ts'));
vi.mock('./voice/ticket.ts', async (original) => ({
  ...(await original<object>()),
  ...(await import('#tests/support/web/fake-line.ts')),
}));

const fake = fakeBackendForEach();
let line: FakeCall;
let completed: string[];
const ensureInterviewId = vi.fn<() => Promise<string>>();
beforeEach(() => {
  line = createFakeCall();
  prepareLine(() => line.call);
  completed = [];
  ensureInterviewId.mockReset().mockResolvedValue('4711');
});

/** As its screen holds it, with callbacks of their own each time. */
function Screen({ kind, before = '' }: Readonly<{ kind: 'image' | 'video'; before?: string }>) {
  const [said, setTranscript] = useState(before);
  return (
    <DescriptionInterview
      kind={kind}
      transcript={said}
      ensureInterviewId={() => ensureInterviewId()}
      onCompleted={(transcript) => {
        completed.push(transcript);
        setTranscript(transcript);
      }}
    />
  );
}

async function conversation(kind: 'image' | 'video' = 'image'): Promise<FlowRun> {
  freezeTime();
  const run = renderFlow(<Screen kind={kind} />, { backend: fake.backend });
  await waitForState(() => expect(button('Interview starten')).toHaveProperty('ariaDisabled', null));
  await run.user.click(button('Interview starten'));
  await waitForState(() => button('Interview beenden'));
  return run;
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const say = (speaker: 'agent' | 'user', text: string): void =>
  act(() => line.report((events) => events.onTurn({ speaker, text, eventId: 1 })));
const SAID = 'Interviewer: Was sieht man?\n\nDu: Einen Kran';

describe('§2.9 the interview about a picture or video', () => {
  it.each([
    ['image', 'Es geht um ein Bild.'],
    ['video', 'Es geht um ein Video.'],
  ] as const)(
    '%s: the interviewer knows what it is about; the row is made on connect and named',
    async (kind, context) => {
      await conversation(kind);
      expect(requestTicket.mock.calls[0]?.[1]).toEqual({ area: 'generic', topic: 'media-description', context });
      await waitForState(() => expect(bindInterview).toHaveBeenCalledWith(fake.backend, 'conv_1', 4711));
      expect(ensureInterviewId).toHaveBeenCalledOnce();
    },
  );

  it('is complete only after the end; edited, it is so again', async () => {
    const run = await conversation();
    say('agent', 'Was sieht man?');
    say('user', 'Einen Kran');
    expect(completed).toEqual([]);
    await run.user.click(button('Interview beenden'));
    expect(completed).toEqual([SAID]);
    expect(startCall).toHaveBeenCalledOnce();
    await run.user.click(button('Bearbeiten'));
    await run.user.type(screen.getByPlaceholderText('Transkript bearbeiten...'), ' in Bremen');
    await run.user.click(button('Speichern'));
    expect(completed[0]).toBe(SAID);
    expect(completed.at(-1)).toBe(`${SAID} in Bremen`);
  });

  it('Keeps what was said when it is left in the middle (decision 0278)', async () => {
    const run = await conversation();
    say('agent', 'Was sieht man?');
    say('user', 'Einen Kran');
    run.unmount();
    expect(completed).toEqual([SAID]);
  });

  it('Does not complete after a greeting without an answer', async () => {
    const run = await conversation();
    say('agent', 'Was sieht man?');
    await run.user.click(button('Interview beenden'));
    expect(completed).toEqual([]);
    expect(button('Interview wiederholen')).toBeTruthy();
  });

  it('broken off: what was said counts, and can be gone on with', async () => {
    const run = await conversation();
    say('agent', 'Was sieht man?');
    say('user', 'Einen Kran');
    act(() => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 })));
    expect(screen.getByRole('alert').textContent).toContain('Verbindungsfehler. Bitte versuchen Sie es erneut.');
    expect(completed).toEqual([SAID]);
    line = createFakeCall();
    await run.user.click(button('Interview fortsetzen'));
    await waitForState(() => button('Interview beenden'));
    expect(requestTicket.mock.lastCall?.[1]).toMatchObject({ interviewId: 4711, resume: true });
  });

  it('Runs the interview without an id after an error', async () => {
    ensureInterviewId.mockRejectedValue(new Error('no id'));
    await conversation();
    say('agent', 'Was sieht man?');
    say('user', 'Einen Kran');
    expect(bindInterview).not.toHaveBeenCalled();
  });

  it('without a login the contribution comes before the ticket: its key opens the gateway (D9)', async () => {
    localStorage.clear();
    await conversation();
    expect(requestTicket.mock.calls[0]?.[1]).toMatchObject({ interviewId: 4711 });
    expect(bindInterview).not.toHaveBeenCalled();
  });

  it('Shows what was said before as an ended interview, which can be corrected', async () => {
    freezeTime();
    const run = renderFlow(<Screen kind="image" before={SAID} />, { backend: fake.backend });
    expect(screen.getByText('Einen Kran')).toBeTruthy();
    expect(screen.getByText('Das Interview ist beendet')).toBeTruthy();
    await run.user.click(button('Bearbeiten'));
    await run.user.type(screen.getByPlaceholderText('Transkript bearbeiten...'), ' in Bremen');
    expect(completed.at(-1)).toBe(`${SAID} in Bremen`);
    expect(button('Interview wiederholen')).toBeTruthy();
  });

  it('typed instead; and leaving ends it', async () => {
    const run = await conversation();
    await run.user.type(screen.getByRole('textbox', { name: 'Antwort schreiben' }), 'Einen Kran{Enter}');
    expect(line.did).toContain('say Einen Kran');
    run.unmount();
    expect(line.did.at(-1)).toBe('end');
  });
});
