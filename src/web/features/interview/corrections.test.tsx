import '#tests/support/indexed-db.ts';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NETWORK, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox, keptBy } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { DescriptionInterview, InterviewScreen } from './index.tsx';
import { createFakeCall, type FakeCall } from '#tests/support/web/fake-call.ts';
import { prepareLine } from '#tests/support/web/fake-line.ts';

vi.mock('./voice/client.ts', () => import('#tests/support/web/fake-line.ts'));
vi.mock('./voice/start-call.ts', () => import('#tests/support/web/fake-line.ts'));
vi.mock('./voice/ticket.ts', async (original) => ({
  ...(await original<object>()),
  ...(await import('#tests/support/web/fake-line.ts')),
}));

const fake = fakeBackendForEach();
let line: FakeCall;
beforeEach(() => {
  line = createFakeCall();
  prepareLine(() => line.call);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => emptyOutbox(ADA_ID));

const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const editor = (): HTMLElement => screen.getByPlaceholderText('Transkript bearbeiten...');
const SAID = 'Interviewer: Was baut ihr?\n\nDu: Eine Halle';
const CORRECTED = `${SAID} in Bremen`;

async function interview(run: FlowRun): Promise<void> {
  await waitForState(() => expect(button('Interview starten')).toHaveProperty('ariaDisabled', null));
  await run.user.click(button('Interview starten'));
  await waitForState(() => button('Interview beenden'));
  act(() => line.report((events) => events.onTurn({ speaker: 'agent', text: 'Was baut ihr?', eventId: 1 })));
  act(() => line.report((events) => events.onTurn({ speaker: 'user', text: 'Eine Halle', eventId: undefined })));
  await run.user.click(button('Interview beenden'));
}

/** Ended and saved, with a correction typed and not saved. */
async function corrected(): Promise<FlowRun> {
  freezeTime();
  const run = renderFlow(<InterviewScreen topic="tech-dive" association="Ingenieurverband" />, {
    backend: fake.backend,
  });
  await run.user.click(button('Ich habe die Hinweise gelesen'));
  await interview(run);
  await pass(1_000);
  await waitForState(() => expect(fake.interviews.get(4711)).toMatchObject({ transcript: SAID }));
  await run.user.click(button('Bearbeiten'));
  await run.user.type(editor(), ' in Bremen');
  return run;
}

const stored = () => fake.interviews.get(4711)?.['transcript'];

describe('A correction that was not saved', () => {
  it.each([
    ['Weiter zum Bild-Upload', { to: 'image-upload-after-voice', state: { interviewId: '4711' } }],
    ['Transkript bearbeiten', { to: 'transcript-edit', state: { transcript: CORRECTED, interviewId: '4711' } }],
  ])('is saved by %s before it leads on', async (way, target) => {
    const run = await corrected();
    await run.user.click(button(way));
    await waitForState(() => expect(run.went).toEqual([target]));
    expect(stored()).toBe(CORRECTED);
    expect(sessionStorage.getItem('latestTranscript')).toBe(CORRECTED);
  });

  it('is saved by Zurück', async () => {
    const run = await corrected();
    await run.user.click(button('Zurück'));
    await waitForState(() => button('Ich habe die Hinweise gelesen'));
    expect(stored()).toBe(CORRECTED);
  });

  it('is saved when the screen is left by a link', async () => {
    const run = await corrected();
    run.unmount();
    await waitForState(() => expect(stored()).toBe(CORRECTED));
  });

  it('stays in its editor where saving fails; pressed again, the way is free and the text goes by the outbox', async () => {
    const run = await corrected();
    fake.fail('PATCH interviews', NETWORK, 99);
    await run.user.click(button('Weiter zum Bild-Upload'));
    await expectToast({ title: 'Fehler', description: 'Das Transkript konnte nicht gespeichert werden.' });
    expect(run.went).toEqual([]);
    expect(editor()).toHaveProperty('value', CORRECTED);
    await run.user.click(button('Weiter zum Bild-Upload'));
    await waitForState(() => expect(run.went).toHaveLength(1));
    run.leave();
    const kept = [{ contentId: '4711', parts: ['transcript'] }];
    await vi.waitFor(async () => expect(await keptBy(ADA_ID)).toEqual(kept));
  });

  it('is refused where its text was emptied, as by Speichern', async () => {
    const run = await corrected();
    await run.user.clear(editor());
    await run.user.click(button('Weiter zum Bild-Upload'));
    await expectToast({ title: 'Keine Transkription vorhanden' });
    expect(run.went).toEqual([]);
    expect(stored()).toBe(SAID);
  });

  it('saves nothing where the editor was only opened', async () => {
    const run = await corrected();
    await run.user.click(button('Verwerfen'));
    await run.user.click(button('Bearbeiten'));
    fake.fail('PATCH interviews', refusal(500, 'XX000'), 9);
    await run.user.click(button('Weiter zum Bild-Upload'));
    expect(run.went).toHaveLength(1);
  });

  it('is what a repeated interview without an answer gives back', async () => {
    const run = await corrected();
    line = createFakeCall();
    await run.user.click(button('Interview wiederholen'));
    await waitForState(() => button('Interview beenden'));
    await run.user.click(button('Interview beenden'));
    expect(screen.getByText('Eine Halle in Bremen')).toBeTruthy();
    await pass(1_000);
    await waitForState(() => expect(stored()).toBe(CORRECTED));
  });
});

describe('§2.9 a correction of the interview about a picture', () => {
  async function described(): Promise<Readonly<{ run: FlowRun; completed: string[] }>> {
    freezeTime();
    const completed: string[] = [];
    const run = renderFlow(
      <DescriptionInterview
        kind="image"
        transcript=""
        ensureInterviewId={() => Promise.resolve('4711')}
        onCompleted={(transcript) => void completed.push(transcript)}
      />,
      { backend: fake.backend },
    );
    await interview(run);
    await run.user.click(button('Bearbeiten'));
    await run.user.type(editor(), ' in Bremen');
    return { run, completed };
  }

  it('is handed over as it is typed, and taken back by Verwerfen', async () => {
    const { run, completed } = await described();
    expect(completed.at(-1)).toBe(CORRECTED);
    await run.user.click(button('Verwerfen'));
    expect(completed.at(-1)).toBe(SAID);
  });

  it('is no description while it is empty; left so, the text from before is', async () => {
    const { run, completed } = await described();
    await run.user.clear(editor());
    expect(completed.at(-1)).toBe('');
    run.unmount();
    expect(completed.at(-1)).toBe(SAID);
  });
});
