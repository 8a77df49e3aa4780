import '#tests/support/indexed-db.ts';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VOICE_TEXT_MAX } from '#contract/limits.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox } from '#tests/support/web/fixtures.ts';
import { type FlowRun, freezeTime, pass, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { InterviewScreen } from './index.tsx';
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
});
afterEach(() => emptyOutbox(ADA_ID));

const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const answer = (): HTMLElement => screen.getByRole('textbox', { name: 'Antwort schreiben' });
const unsent = (): HTMLElement => screen.getByRole('textbox', { name: 'Noch nicht angekommen' });
const drop = (): void => act(() => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 })));
const stored = () => fake.interviews.get(4711)?.['transcript'];
const SAID = 'Interviewer: Was baut ihr?\n\nDu: Eine Halle\n\nInterviewer: Wo?';
const COMPLETE = `${SAID}\n\nDu: In Bremen`;

function render(): FlowRun {
  freezeTime();
  return renderFlow(<InterviewScreen topic="tech-dive" association="Ingenieurverband" />, { backend: fake.backend });
}

/** Two questions are asked; the second answer is typed. */
async function typed(): Promise<FlowRun> {
  const run = render();
  await run.user.click(button('Ich habe die Hinweise gelesen'));
  await waitForState(() => expect(button('Interview starten')).toHaveProperty('ariaDisabled', null));
  await run.user.click(button('Lieber schreiben statt sprechen'));
  await waitForState(() => button('Interview beenden'));
  for (const [speaker, text] of [
    ['agent', 'Was baut ihr?'],
    ['user', 'Eine Halle'],
    ['agent', 'Wo?'],
  ] as const)
    act(() => line.report((events) => events.onTurn({ speaker, text, eventId: 1 })));
  await waitForState(() => expect(fake.interviews.get(4711)).toBeDefined());
  await run.user.type(answer(), 'In Bremen');
  return run;
}

describe('A typed answer that has not arrived', () => {
  it.each([
    ['{Enter}', 'In Bremen'],
    ['', 'In Bremen'],
    ['{Enter}Und im Mai', 'In Bremen\nUnd im Mai'],
  ])(
    'is shown after a break, and is in the field again when the interview goes on, said once (%s; decision 0365)',
    async (keys, kept) => {
      const run = await typed();
      if (keys !== '') await run.user.keyboard(keys);
      drop();
      expect(screen.getByRole('alert').textContent).toContain('Deine letzte Antwort ist noch nicht angekommen.');
      expect(unsent()).toHaveProperty('value', kept);
      await run.user.type(unsent(), ' an der Weser');
      line = createFakeCall();
      await run.user.click(button('Interview fortsetzen'));
      await waitForState(() => expect(answer()).toHaveProperty('value', `${kept} an der Weser`));
      await run.user.type(answer(), '{Enter}');
      expect(line.did.filter((did) => did.startsWith('say '))).toEqual([`say ${kept} an der Weser`]);
      expect(answer()).toHaveProperty('value', '');
    },
  );

  it('has no more characters than the line takes, which would end at a longer one', async () => {
    await typed();
    expect(answer()).toHaveProperty('maxLength', VOICE_TEXT_MAX);
    drop();
    expect(unsent()).toHaveProperty('maxLength', VOICE_TEXT_MAX);
  });

  it.each([
    ['Weiter zum Bild-Upload', { to: 'image-upload-after-voice', state: { interviewId: '4711' } }],
    ['Transkript bearbeiten', { to: 'transcript-edit', state: { transcript: COMPLETE, interviewId: '4711' } }],
  ])('is at the end of the transcript where the person goes on by %s', async (way, target) => {
    const run = await typed();
    await run.user.keyboard('{Enter}');
    drop();
    await run.user.click(button(way));
    expect(run.went).toEqual([target]);
    expect(sessionStorage.getItem('latestTranscript')).toBe(COMPLETE);
    run.unmount();
    await waitForState(() => expect(stored()).toBe(COMPLETE));
    render();
    expect(screen.getByText('In Bremen')).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('is in the transcript that is saved when the interview is ended with words in the field', async () => {
    const run = await typed();
    await run.user.click(button('Interview beenden'));
    expect(line.did.slice(-2)).toEqual(['say In Bremen', 'end']);
    expect(screen.getByText('In Bremen')).toBeTruthy();
    await pass(1_000);
    await waitForState(() => expect(stored()).toBe(COMPLETE));
  });

  it('is saved when the screen is left in the middle', async () => {
    const run = await typed();
    run.unmount();
    await waitForState(() => expect(stored()).toBe(COMPLETE));
  });

  it('is there after a reload', async () => {
    await typed();
    const kept = Object.entries(sessionStorage);
    act(() => void window.dispatchEvent(new Event('pagehide')));
    document.body.replaceChildren();
    sessionStorage.clear();
    for (const [key, value] of kept) sessionStorage.setItem(key, String(value));
    render();
    expect(unsent()).toHaveProperty('value', 'In Bremen');
  });
});
