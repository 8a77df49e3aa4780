import { AuthRetryableFetchError } from '@supabase/supabase-js';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { NETWORK, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox, keptBy } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowPlace,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { submissionStore } from '#web/submission/store.ts';
import { InterviewScreen } from './index.tsx';
import { createFakeCall, type FakeCall } from '#tests/support/web/fake-call.ts';
import { bindInterview, prepareLine, requestTicket } from '#tests/support/web/fake-line.ts';
import { TicketError } from './voice/ticket.ts';
import '#tests/support/indexed-db.ts';

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
afterEach(async () => {
  await emptyOutbox(ADA_ID);
});

async function open(place: Omit<FlowPlace, 'backend'> = {}): Promise<FlowRun> {
  const run = render(place);
  await run.user.click(button('Ich habe die Hinweise gelesen'));
  await waitForState(() => expect(button('Interview starten')).toHaveProperty('ariaDisabled', null));
  return run;
}

function render(place: Omit<FlowPlace, 'backend'> = {}): FlowRun {
  freezeTime();
  return renderFlow(<InterviewScreen topic="tech-dive" association="Ingenieurverband" />, {
    ...place,
    backend: fake.backend,
  });
}

const GENERIC = AREAS.find(({ id }) => id === 'generic') ?? expect.fail();
const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const say = (speaker: 'agent' | 'user', text: string): void =>
  act(() => line.report((events) => events.onTurn({ speaker, text, eventId: 1 })));

async function conversation(run: FlowRun): Promise<void> {
  await run.user.click(button('Interview starten'));
  await waitForState(() => button('Interview beenden'));
  say('agent', 'Was baut ihr?');
  say('user', 'Eine Halle');
}

const saves = () => fake.called('PATCH interviews');
const SAID = 'Interviewer: Was baut ihr?\n\nDu: Eine Halle';

it('A login whose token could not be renewed now is a lost connection, and begins nothing as a guest', async () => {
  const answer = { data: { session: null }, error: new AuthRetryableFetchError('no answer', 0) };
  const run = await open();
  vi.spyOn(fake.backend.supabase.auth, 'getSession').mockResolvedValueOnce(answer);
  await run.user.click(button('Interview starten'));
  await waitForState(() => expect(screen.getByText(/Verbindungsfehler/)).toBeTruthy());
  expect(requestTicket).not.toHaveBeenCalled();
  expect([fake.calls, sessionStorage.getItem('currentInterviewId')]).toEqual([[], null]);
});

it.each([600_000, -600_000])('tells the length also where the clock of the device is set by %i ms', async (ms) => {
  let set = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - set);
  const run = await open();
  await conversation(run);
  await pass(5_000);
  vi.setSystemTime(Date.now() + (set = ms));
  await pass(2_000);
  expect(screen.getByRole('timer').textContent).toBe('00:07');
  await run.user.click(button('Interview beenden'));
  expect(screen.getByRole('timer').textContent).toBe('00:07');
  await pass(1_000);
  await waitForState(() => expect(saves()).toHaveLength(1));
});

describe('§4 saving', () => {
  it('announces an edited text only once it is written, and keeps the editor open until then', async () => {
    const run = await open();
    await conversation(run);
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    fake.fail('PATCH interviews', refusal(400, 'XX000'), 1);
    await run.user.click(button('Bearbeiten'));
    await run.user.type(screen.getByPlaceholderText('Transkript bearbeiten...'), ' in Bremen');
    await run.user.click(button('Speichern'));
    await expectToast({ title: 'Fehler', description: 'Datenbankoperation' });
    expect(screen.getByPlaceholderText('Transkript bearbeiten...')).toHaveProperty('value', `${SAID} in Bremen`);
    await run.user.click(button('Speichern'));
    await expectToast({ title: 'Änderungen gespeichert' });
    expect(saves().at(-1)?.body).toMatchObject({ transcript: `${SAID} in Bremen` });
    await pass(60_000);
    expect(saves()).toHaveLength(3);
  });

  it('makes the row on connect, names it to the server, and saves once, 1 s after the end', async () => {
    const run = await open();
    expect(fake.called('POST interviews')).toHaveLength(0);
    await conversation(run);
    await waitForState(() => expect(fake.called('POST interviews')).toHaveLength(1));
    await waitForState(() =>
      expect(bindInterview).toHaveBeenCalledWith(
        expect.objectContaining({ interviewKey: expect.any(String) }),
        'conv_1',
        4711,
      ),
    );
    await run.user.click(button('Interview beenden'));
    await pass(999);
    expect(saves()).toHaveLength(0);
    await pass(1);
    await waitForState(() => expect(saves()).toHaveLength(1));
    expect(saves()[0]?.body).toMatchObject({ transcript: SAID, completed_at: expect.any(String) });
    await expectToast({ title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' });
    await pass(60_000);
    expect(saves()).toHaveLength(1);
  });

  it.each(['described', 'with its transcript'])(
    'A stored contribution that is %s is not taken (§4 step 2)',
    async (done) => {
      const store = submissionStore(GENERIC.storageKeys);
      store.keepInterviewId('7');
      if (done === 'described') store.keepDescribed('7');
      else store.keepTranscript('Hallo', '7');
      const run = await open();
      await run.user.click(button('Interview starten'));
      await waitForState(() => button('Interview beenden'));
      expect(requestTicket.mock.calls[0]?.[1]).not.toHaveProperty('interviewId');
    },
  );

  it('uses the id handed over, from the ticket on', async () => {
    fake.interviews.set(7, { id: 7 });
    const run = await open({ state: { interviewId: '7' } });
    await conversation(run);
    expect(requestTicket.mock.calls[0]?.[1]).toMatchObject({ interviewId: 7, topic: 'tech-dive', area: 'generic' });
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => expect(fake.interviews.get(7)).toMatchObject({ transcript: SAID }));
    expect(fake.called('POST interviews')).toHaveLength(0);
    expect(bindInterview).not.toHaveBeenCalled();
  });

  it('saves nothing where nothing was said', async () => {
    const run = await open();
    await run.user.click(button('Interview starten'));
    await waitForState(() => button('Interview beenden'));
    await run.user.click(button('Interview beenden'));
    await pass(5_000);
    expect(saves()).toHaveLength(0);
    expect(screen.getByText('Kein Transkript verfügbar')).toBeTruthy();
  });

  it.each([
    [refusal(500, 'XX000'), 'Bei der Datenbankoperation ist ein Fehler aufgetreten.'],
    [NETWORK, 'Das Transkript konnte nicht gespeichert werden.'],
  ])('Says once that it failed, and keeps the text (§8)', async (failure, description) => {
    const run = await open();
    await conversation(run);
    fake.fail('PATCH interviews', failure, 9);
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await expectToast({ title: 'Fehler', description });
    await pass(60_000);
    expect(sessionStorage.getItem('latestTranscript')).toBe(SAID);
  });

  it('Uses a local id and says so; the transcript stays in the browser (§4)', async () => {
    fake.fail('POST interviews', NETWORK, 9);
    const run = await open();
    await conversation(run);
    await expectToast({
      title: 'Hinweis',
      description:
        'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
    });
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await expectToast({ title: 'Transkript gespeichert', description: 'Es liegt nur lokal in diesem Browser.' });
    await waitForState(() => expect(sessionStorage.getItem('transcriptInterviewId')).toMatch(/^local_tech_dive_/));
    expect(sessionStorage.getItem('currentInterviewId')).toMatch(/^local_tech_dive_\d+_/);
    expect(sessionStorage.getItem('latestTranscript')).toBe(SAID);
    expect(saves()).toHaveLength(0);
  });

  it.each([
    ['a local id', 'POST interviews', /^local_tech_dive_/],
    ['a save that failed', 'PATCH interviews', /^4711$/],
  ])('Ausgangskorb: after %s the transcript can be kept, corrected too', async (_name, call, contentId) => {
    fake.fail(call, NETWORK, 99);
    const run = await open();
    await conversation(run);
    expect(screen.queryByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeNull();
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => button('Auf diesem Gerät sichern'));
    await run.user.click(button('Auf diesem Gerät sichern'));
    await waitForState(() => expect(screen.getByText('Auf diesem Gerät gesichert')).toBeTruthy());
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: expect.stringMatching(contentId), parts: ['transcript'] }]);
    await run.user.click(button('Bearbeiten'));
    await run.user.type(screen.getByRole('textbox', { name: 'Interview Transkript' }), ' in Bremen');
    await run.user.click(button('Speichern'));
    await pass(1_000);
    await waitForState(() =>
      expect(screen.getByText('Es liegt im Ausgangskorb und wird von selbst gesendet.')).toBeTruthy(),
    );
    await waitForState(() => expect(sessionStorage.getItem('latestTranscript')).toContain('Bremen'));
    await vi.waitFor(async () => {
      const [entry] = await browserOutbox().store.list(ADA_ID);
      expect(entry?.parts[0]).toMatchObject({ revision: 2, content: { text: `${SAID} in Bremen` } });
    });
  });

  it.each([
    ['a save that failed', async () => waitForState(() => button('Auf diesem Gerät sichern'))],
    ['a save that is running', async () => waitForState(() => expect(saves()).toHaveLength(1))],
  ])('Left after %s: the transcript goes by the outbox (decision 0352)', async (_name, untilThen) => {
    fake.fail('PATCH interviews', NETWORK, 99);
    const run = await open();
    await conversation(run);
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await untilThen();
    run.unmount();
    const kept = [{ contentId: '4711', parts: ['transcript'] }];
    await vi.waitFor(async () => expect(await keptBy(ADA_ID)).toEqual(kept));
  });

  it('Left after a save that is running: a correction of the next screen is not replaced (decision 0358)', async () => {
    fake.fail('PATCH interviews', NETWORK, 99);
    const run = await open();
    await conversation(run);
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    run.unmount();
    submissionStore(GENERIC.storageKeys).keepTranscript('Du: Eine neue Halle', '4711');
    await vi.waitFor(async () => expect(await keptBy(ADA_ID)).toMatchObject([{ parts: ['transcript'] }]));
    const [entry] = await browserOutbox().store.list(ADA_ID);
    expect(entry?.parts).toMatchObject([{ content: { text: 'Du: Eine neue Halle' } }]);
  });

  it('Saves what was added to a saved interview and says so (§8)', async () => {
    const run = await open();
    await conversation(run);
    act(() => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1011 })));
    // The line is cut: everything is kept, and the ways on are there.
    expect(screen.getByRole('alert').textContent).toContain('Verbindungsfehler. Bitte versuchen Sie es erneut.');
    expect(screen.getByText('Eine Halle')).toBeTruthy();
    expect(button('Weiter zum Bild-Upload')).toBeTruthy();
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    await expectToast({ title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' });
    line = createFakeCall();
    await run.user.click(button('Interview fortsetzen'));
    await waitForState(() => button('Interview beenden'));
    say('agent', 'Wo?');
    say('user', 'In Bremen');
    expect(screen.getByText('Eine Halle')).toBeTruthy();
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await expectToast({ title: 'Transkript aktualisiert', description: 'Auch das neu Gesagte ist gespeichert.' });
    expect(saves()).toHaveLength(2);
    expect(fake.interviews.get(4711)).toMatchObject({ transcript: `${SAID}\n\nInterviewer: Wo?\n\nDu: In Bremen` });
  });

  it('Reports a problem with the id; the transcript stays in the browser (§4)', async () => {
    const run = await open();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
      throw new Error('no randomness');
    });
    await run.user.click(button('Interview starten'));
    await expectToast({
      title: 'Fehler',
      description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.',
    });
    say('user', 'Eine Halle');
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    expect(sessionStorage.getItem('latestTranscript')).toBe('Du: Eine Halle');
  });

  it('saves by leaving, whether the interview is still running or not', async () => {
    const run = await open();
    await conversation(run);
    run.unmount();
    expect(line.did).toContain('end');
    await waitForState(() => expect(saves()).toHaveLength(1));
    expect(saves()[0]?.body).toMatchObject({ transcript: SAID, completed_at: expect.any(String) });
  });
});

describe('a reload in the middle', () => {
  async function reloaded(): Promise<FlowRun> {
    const before = await open();
    await conversation(before);
    await waitForState(() => expect(bindInterview).toHaveBeenCalled());
    say('agent', 'Wo?');
    window.dispatchEvent(new Event('pagehide'));
    before.unmount();
    line = createFakeCall();
    return render();
  }
  const KEPT = `${SAID}\n\nInterviewer: Wo?`;

  it('the interview is there again, and goes on in the same row', async () => {
    const run = await reloaded();
    expect(screen.getByRole('status').textContent).toMatch(/^Dein Interview ist noch nicht zu Ende\./);
    expect(screen.getByText('Wo?')).toBeTruthy();
    await run.user.click(button('Interview fortsetzen'));
    await waitForState(() => button('Interview beenden'));
    expect(requestTicket.mock.lastCall?.[1]).toMatchObject({ interviewId: 4711, resume: true });
    say('user', 'In Bremen');
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() =>
      expect(fake.interviews.get(4711)).toMatchObject({ transcript: `${KEPT}\n\nDu: In Bremen` }),
    );
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('going on with what is there saves it', async () => {
    const run = await reloaded();
    await run.user.click(button('Weiter zum Bild-Upload'));
    expect(run.went).toEqual([{ to: 'image-upload-after-voice', state: { interviewId: '4711' } }]);
    await pass(1_000);
    await waitForState(() => expect(fake.interviews.get(4711)).toMatchObject({ transcript: KEPT }));
  });

  it('a greeting alone is nothing to go on with', async () => {
    const run = await open();
    await run.user.click(button('Interview starten'));
    await waitForState(() => button('Interview beenden'));
    say('agent', 'Hallo!');
    window.dispatchEvent(new Event('pagehide'));
    run.unmount();
    render();
    expect(button('Ich habe die Hinweise gelesen')).toBeTruthy();
  });
});

describe('§2.5 screen', () => {
  it('Panel: copied, edited and saved with its toasts (§2.5)', async () => {
    const run = await open();
    await conversation(run);
    await run.user.click(button('Kopieren'));
    await expectToast({
      title: 'In die Zwischenablage kopiert',
      description: 'Transkript wurde in die Zwischenablage kopiert.',
    });
    expect(await navigator.clipboard.readText()).toBe(SAID);
    await run.user.click(button('Interview beenden'));
    await pass(1_000);
    await waitForState(() => expect(saves()).toHaveLength(1));
    await run.user.click(button('Bearbeiten'));
    const field = screen.getByPlaceholderText('Transkript bearbeiten...');
    await run.user.clear(field);
    await run.user.click(button('Speichern'));
    await expectToast({ title: 'Keine Transkription vorhanden', description: 'Es gibt nichts zu speichern.' });
    await run.user.type(field, 'Du: Wir bauen zwei Hallen.');
    await run.user.click(button('Speichern'));
    await expectToast({
      title: 'Änderungen gespeichert',
      description: 'Transkript wurde erfolgreich aktualisiert.',
    });
    expect(fake.interviews.get(4711)).toMatchObject({ transcript: 'Du: Wir bauen zwei Hallen.' });
  });

  it('shows hint, then the two ways on, with their state', async () => {
    const run = await open();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Ingenieurverband Content-Interview-Bot');
    await conversation(run);
    expect(screen.queryByRole('button', { name: 'Transkript bearbeiten' })).toBeNull();
    expect(button('Bearbeiten')).toHaveProperty('disabled', true);
    await run.user.click(button('Interview beenden'));
    await run.user.click(button('Transkript bearbeiten'));
    await run.user.click(button('Weiter zum Bild-Upload'));
    expect(run.went).toEqual([
      { to: 'transcript-edit', state: { transcript: SAID, interviewId: '4711' } },
      { to: 'image-upload-after-voice', state: { interviewId: '4711' } },
    ]);
  });

  it('a browser that cannot listen says so: one types', async () => {
    const run = await open();
    await conversation(run);
    expect(screen.getByText('Der Interviewer hört dir zu')).toBeTruthy();
    act(() => line.report((events) => events.onListening(false)));
    expect(screen.getByText('Du bist dran')).toBeTruthy();
    await run.user.type(
      screen.getByRole('textbox', { name: 'Antwort schreiben' }),
      'Eine Halle{Shift>}{Enter}{/Shift}in Bremen{Enter}',
    );
    expect(line.did).toContain('say Eine Halle\nin Bremen');
  });

  it('a phone call that mutes the microphone is shown while it lasts, also while the interviewer speaks', async () => {
    const run = await open();
    await conversation(run);
    act(() => line.report((events) => events.onSpeaking(true)));
    act(() => line.report((events) => events.onMicrophoneMuted(true)));
    expect(screen.getByText('Dein Mikrofon ist gerade stumm')).toBeTruthy();
    act(() => line.report((events) => events.onMicrophoneMuted(false)));
    expect(screen.getByText('Der Interviewer spricht')).toBeTruthy();
  });

  it('mute, feedback and what is being said', async () => {
    const run = await open();
    await conversation(run);
    await run.user.click(button('Mikrofon stumm schalten'));
    expect(screen.getByText('Dein Mikrofon ist stumm')).toBeTruthy();
    await run.user.click(button('Unpassende Frage'));
    expect(button('Unpassende Frage').getAttribute('aria-pressed')).toBe('true');
    expect(line.did).toEqual(expect.arrayContaining(['mute true', 'rate 1 false']));
    act(() => line.report((events) => events.onTentative('Und dann')));
    expect(screen.getByText('Und dann')).toBeTruthy();
  });

  it('Says that it is the own interviews that are too many, not those of all', async () => {
    const run = await open();
    requestTicket.mockRejectedValueOnce(new TicketError('too-many', '429'));
    await run.user.click(button('Interview starten'));
    await waitForState(() => button('Erneut versuchen'));
    expect(screen.getByRole('alert').textContent).toContain('Von dir oder in deinem Netz laufen schon Interviews');
  });

  it('Shows an error with its cause and offers another try (§4)', async () => {
    const run = await open();
    requestTicket.mockRejectedValueOnce(new TicketError('busy', '503'));
    await run.user.click(button('Interview starten'));
    await waitForState(() => button('Erneut versuchen'));
    expect(screen.getByRole('alert').textContent).toMatch(
      /^Verbindungsfehler\. Bitte versuchen Sie es erneut\.Gerade laufen/,
    );
    await run.user.click(button('Erneut versuchen'));
    await waitForState(() => button('Interview beenden'));
  });
});
