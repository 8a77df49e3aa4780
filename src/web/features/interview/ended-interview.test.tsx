import '#tests/support/indexed-db.ts';
import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { clearUserData } from '#web/backend/browser-storage.ts';
import { submissionStore } from '#web/submission/store.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { type FlowRun, freezeTime, pass, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { InterviewScreen } from './index.tsx';
import { createFakeCall, type FakeCall } from '#tests/support/web/fake-call.ts';
import { prepareLine, requestTicket } from '#tests/support/web/fake-line.ts';

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

const GENERIC = AREAS.find(({ id }) => id === 'generic') ?? expect.fail();
const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const saves = () => fake.called('PATCH interviews');
const LENGTH_MS = 65_000;
const SAID = 'Interviewer: Was baut ihr?\n\nDu: Eine Halle';

function render(): FlowRun {
  freezeTime();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
  return renderFlow(<InterviewScreen topic="tech-dive" association="Ingenieurverband" />, { backend: fake.backend });
}

async function hangUp(lengthMs: number, end?: () => void): Promise<FlowRun> {
  const run = render();
  await run.user.click(button('Ich habe die Hinweise gelesen'));
  await waitForState(() => expect(button('Interview starten')).toHaveProperty('ariaDisabled', null));
  await run.user.click(button('Interview starten'));
  await waitForState(() => button('Interview beenden'));
  act(() => line.report((events) => events.onTurn({ speaker: 'agent', text: 'Was baut ihr?', eventId: 1 })));
  act(() => line.report((events) => events.onTurn({ speaker: 'user', text: 'Eine Halle', eventId: undefined })));
  await pass(lengthMs);
  if (end === undefined) await run.user.click(button('Interview beenden'));
  else act(end);
  return run;
}

async function ended(): Promise<FlowRun> {
  const run = await hangUp(LENGTH_MS);
  await pass(1_000);
  await waitForState(() => expect(saves()).toHaveLength(1));
  return run;
}

function expectEnded(text: string): void {
  expect(screen.getByText('Das Interview ist beendet')).toBeTruthy();
  expect(screen.getByText(text)).toBeTruthy();
  for (const name of ['Transkript bearbeiten', 'Weiter zum Bild-Upload', 'Interview wiederholen'])
    expect(button(name)).toBeTruthy();
}

describe('An ended interview that is not handed in', () => {
  it('is there after Zurück and the notes', async () => {
    const run = await ended();
    await run.user.click(button('Zurück'));
    await run.user.click(button('Ich habe die Hinweise gelesen'));
    expectEnded('Eine Halle');
  });

  it.each([['Weiter zum Bild-Upload'], [undefined]])(
    'is there again after %s, with its length, saved once',
    async (way) => {
      const run = await ended();
      if (way !== undefined) await run.user.click(button(way));
      run.unmount();
      render();
      expectEnded('Eine Halle');
      expect(screen.getByText('01:05')).toBeTruthy();
      await pass(60_000);
      expect(saves()).toHaveLength(1);
    },
  );

  it('has the text that was corrected on the screen of the transcript', async () => {
    const run = await ended();
    run.unmount();
    submissionStore(GENERIC.storageKeys).keepTranscript(`${SAID} in Bremen`, '4711');
    render();
    expectEnded('Eine Halle in Bremen');
    await pass(1_000);
    await waitForState(() => expect(fake.interviews.get(4711)).toMatchObject({ transcript: `${SAID} in Bremen` }));
  });

  it('keeps a correction that was not saved over a reload', async () => {
    const run = await ended();
    await run.user.click(button('Bearbeiten'));
    await run.user.type(screen.getByPlaceholderText('Transkript bearbeiten...'), ' in Bremen');
    const stored = Object.entries(sessionStorage);
    run.unmount();
    await waitForState(() => expect(saves()).toHaveLength(2));
    sessionStorage.clear();
    for (const [key, value] of stored) sessionStorage.setItem(key, String(value));
    const again = render();
    expect(screen.getByPlaceholderText('Transkript bearbeiten...')).toHaveProperty('value', `${SAID} in Bremen`);
    await again.user.click(button('Verwerfen'));
    expectEnded('Eine Halle');
  });

  it('has one row, although the answer about it came only after Zurück', async () => {
    const made = Promise.withResolvers<void>();
    fake.fail('POST interviews', made.promise);
    const run = await hangUp(0);
    await run.user.click(button('Zurück'));
    await run.user.click(button('Ich habe die Hinweise gelesen'));
    made.resolve();
    await waitForState(() => expect(saves()).toHaveLength(1));
    await pass(5_000);
    await waitForState(() => expect(saves()).toHaveLength(2));
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('goes on in the same row when it is repeated', async () => {
    const run = await ended();
    run.unmount();
    line = createFakeCall();
    const again = render();
    await again.user.click(button('Interview wiederholen'));
    await waitForState(() => button('Interview beenden'));
    expect(requestTicket.mock.lastCall?.[1]).toMatchObject({ interviewId: 4711 });
    act(() => line.report((events) => events.onTurn({ speaker: 'user', text: 'Zwei Hallen', eventId: undefined })));
    await again.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => expect(fake.interviews.get(4711)).toMatchObject({ transcript: 'Du: Zwei Hallen' }));
    again.unmount();
    render();
    expectEnded('Zwei Hallen');
  });

  it('has the corrected text also where the line broke and the person went on', async () => {
    const run = await hangUp(0, () => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 })));
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    run.unmount();
    submissionStore(GENERIC.storageKeys).keepTranscript(`${SAID} in Bremen`, '4711');
    render();
    expect(button('Interview fortsetzen')).toBeTruthy();
    expect(screen.getByText('Eine Halle in Bremen')).toBeTruthy();
    await pass(1_000);
    await waitForState(() => expect(fake.interviews.get(4711)).toMatchObject({ transcript: `${SAID} in Bremen` }));
  });

  it.each([
    ['Interview wiederholen', undefined],
    ['Interview fortsetzen', () => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }))],
  ])('has all its ways on after %s and Abbrechen', async (again, end) => {
    const { user } = await hangUp(0, end);
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    requestTicket.mockReturnValueOnce(new Promise(() => undefined));
    await user.click(button(again));
    await user.click(button('Abbrechen'));
    await waitForState(() => button(again));
    for (const name of ['Transkript bearbeiten', 'Weiter zum Bild-Upload']) expect(button(name)).toBeTruthy();
    expect(screen.getByText('Eine Halle')).toBeTruthy();
  });

  it.each([
    ['it was handed in', () => submissionStore(GENERIC.storageKeys).clear('4711')],
    ['another contribution was begun', () => submissionStore(GENERIC.storageKeys).keepInterviewId('4712')],
    ['a logout', () => clearUserData()],
  ])('is not there after %s', async (_name, happen) => {
    const run = await ended();
    run.unmount();
    happen();
    render();
    expect(button('Ich habe die Hinweise gelesen')).toBeTruthy();
    expect(Object.keys(sessionStorage).filter((key) => key.startsWith('interview:'))).toEqual([]);
  });
});
