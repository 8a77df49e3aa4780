import '#tests/support/indexed-db.ts';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserOutbox, ownerHere } from '#web/submission/outbox/outbox.ts';
import { NETWORK, refusal, startFakeBackend, type FakeBackend } from '#tests/support/web/fake-backend.ts';
import { emptyOutbox, keptBy, logIn } from '#tests/support/web/fixtures.ts';
import { expectToast, waitForState, type FlowRun } from '#tests/support/web/render-flow.tsx';
import {
  button,
  continueWith,
  fakeRecorder,
  openVoiceMessage,
  recorded,
  recording,
  resetParts,
  says,
  setRecorder,
} from '#tests/support/web/fake-parts.tsx';
import type { TranscriptionResult } from './transcription/transcribe.ts';

vi.mock('./recording/use-recorder.ts', async (original) => ({
  ...(await original<object>()),
  useRecorder: (await import('#tests/support/web/fake-parts.tsx')).useFakeRecorder,
}));
vi.mock('./transcription/use-transcription.ts', async (original) => ({
  ...(await original<object>()),
  useTranscription: (await import('#tests/support/web/fake-parts.tsx')).useFakeTranscription,
}));

let fake: FakeBackend;
beforeEach(() => {
  fake = startFakeBackend();
  resetParts();
  URL.createObjectURL = () => 'blob:ton';
  URL.revokeObjectURL = () => {};
});
afterEach(async () => {
  vi.restoreAllMocks();
  await emptyOutbox(ownerHere(fake.backend.config));
  Object.assign(fake.backend.config, { keepRecordings: false, transcription: true });
  fake.close();
});

const broken: TranscriptionResult = {
  ok: false,
  error: { kind: 'service', status: 500, statusText: 'Internal Server Error' },
};

const sendAudio = async ({ user }: FlowRun) => {
  await waitForState(() => expect(button('Ohne Transkript weiter')).toBeTruthy());
  await user.click(button('Ohne Transkript weiter'));
};
const second = { ...recording, blob: new Blob(['noch ein ton'], { type: recording.mime }) };
const edits = (run: FlowRun) => run.went.filter((target) => target.to === 'transcript-edit');

describe('§4 from the recording to the transcript', () => {
  it('saves transcript and completed_at, keeps it in the browser, goes on with transcript, id and audio', async () => {
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    const state = { transcript: 'Hallo Welt', interviewId: '4711', audioUrl: 'blob:ton' };
    expect(edits(flow)).toEqual([{ to: 'transcript-edit', state }]);
    expect(fake.interviews.get(4711)).toMatchObject({ transcript: 'Hallo Welt', completed_at: expect.any(String) });
    expect(sessionStorage.getItem('latestTranscript')).toBe('Hallo Welt');
    expect(localStorage.getItem('interviewTranscript')).toBe('Hallo Welt');
    await expectToast({ title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' });
    expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
  });

  it('test variant: shows the transcript below and hands over transcript and id', async () => {
    const flow = await openVoiceMessage(fake, 'testnormec');
    await continueWith(flow, 'Hochladen & Transkribieren');
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(screen.getByText('Hallo Welt')).toBeTruthy();
    expect(edits(flow)[0]).toMatchObject({ state: { transcript: 'Hallo Welt', interviewId: '4711' } });
  });

  it('the way back here leads to the same contribution', async () => {
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(flow.went[0]).toEqual({ to: 'voice-message', state: { interviewId: '4711' }, replace: true });
  });

  it('goes on handing in when the screen is left, and does not move the person on', async () => {
    const answer = Promise.withResolvers<TranscriptionResult>();
    says(answer.promise);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    flow.leave();
    answer.resolve({ ok: true, text: 'Hallo Welt', segments: [] });
    await waitForState(() => expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1));
    expect(sessionStorage.getItem('latestTranscript')).toBe('Hallo Welt');
    expect(flow.went).toEqual([]);
  });

  it('a fresh start never overwrites an earlier contribution', async () => {
    fake.interviews.set(7, { id: 7, transcript: 'Früher' });
    sessionStorage.setItem('currentInterviewId', '7');
    sessionStorage.setItem('transcriptInterviewId', '7');
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Früher' });
    expect(sessionStorage.getItem('currentInterviewId')).not.toBe('7');
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('Uses a local id with a hint where no row can be made, and keeps the recording (§8)', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.fail('POST interviews', refusal(403, '42501'));
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await expectToast({
      title: 'Hinweis',
      description:
        'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
    });
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(sessionStorage.getItem('currentInterviewId')).toMatch(/^local_voice_/);
    expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
  });

  it.each([
    ['no row of this caller', refusal(403, '42501'), 'Das Transkript konnte nicht gespeichert werden.'],
    ['an error of the database', refusal(500, 'XX000'), 'Bei der Datenbankoperation ist ein Fehler aufgetreten.'],
    ['no answer', NETWORK, 'Das Transkript konnte nicht gespeichert werden.'],
  ])('%s: says so, keeps everything and goes on (§8)', async (_name, failure, description) => {
    fake.fail('PATCH interviews', failure);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await expectToast({ title: 'Fehler', description });
    await waitForState(() => expect(edits(flow)).toMatchObject([{ state: { transcript: 'Hallo Welt' } }]));
    expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
  });

  it('Says so where no id can be made (§8)', async () => {
    const flow = await openVoiceMessage(fake);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
      throw new RangeError('provoked');
    });
    await continueWith(flow);
    await expectToast({
      title: 'Fehler',
      description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.',
    });
    expect(edits(flow)).toEqual([]);
  });

  it('ignores a second press', async () => {
    const asked = says({ ok: true, text: 'Hallo', segments: [] });
    const flow = await openVoiceMessage(fake);
    act(recorded);
    await flow.user.dblClick(button('Weiter'));
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('Asks for a recording first where there is none (§5)', async () => {
    const { user } = await openVoiceMessage(fake);
    await user.click(button('Weiter'));
    await expectToast({
      title: 'Keine Aufnahme vorhanden',
      description: 'Bitte nehmen Sie zuerst eine Sprachnachricht auf.',
    });
    act(recorded);
    await waitForState(() => expect(screen.queryByText('Keine Aufnahme vorhanden')).toBeNull());
  });

  it('Ends a paused recording and goes on with it, once (§2.6)', async () => {
    const asked = says({ ok: true, text: 'Hallo Welt', segments: [] });
    const flow = await openVoiceMessage(fake);
    act(() => setRecorder({ state: { status: 'recording', paused: true, seconds: 3 } }));
    await flow.user.click(button('Weiter'));
    expect(fakeRecorder().stop).toHaveBeenCalledTimes(1);
    act(() => setRecorder({ state: { status: 'stopping', seconds: 3, automatic: false, code: undefined } }));
    await flow.user.click(button('Weiter'));
    expect(screen.queryByText('Keine Aufnahme vorhanden')).toBeNull();
    expect(asked).not.toHaveBeenCalled();
    act(recorded);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(fakeRecorder().stop).toHaveBeenCalledTimes(1);
  });

  it('A paused recording that cannot be ended is not waited for any more', async () => {
    const asked = says({ ok: true, text: 'Hallo Welt', segments: [] });
    const { user } = await openVoiceMessage(fake);
    act(() => setRecorder({ state: { status: 'recording', paused: true, seconds: 3 } }));
    await user.click(button('Weiter'));
    act(() => setRecorder({ state: { status: 'error', code: 'processing' } }));
    act(recorded);
    expect(button('Weiter').getAttribute('aria-busy')).not.toBe('true');
    expect(asked).not.toHaveBeenCalled();
  });

  it('Waits for a recording that is being taken up (§2.6)', async () => {
    const { user } = await openVoiceMessage(fake);
    act(() => setRecorder({ restoring: true }));
    expect(button('Weiter').hasAttribute('disabled')).toBe(true);
    act(recorded);
    act(() => setRecorder({ restoring: false }));
    says({ ok: true, text: 'Hallo', segments: [] });
    await user.click(button('Weiter'));
    await waitForState(() => expect(fake.called('POST interviews')).toHaveLength(1));
  });

  it('Sends no recording over the limit and names its size (D19)', async () => {
    const asked = says({ ok: true, text: 'Hallo', segments: [] });
    const flow = await openVoiceMessage(fake);
    const large = { ...recording, bytes: 26 * 1024 * 1024 };
    act(() => setRecorder({ state: { status: 'recorded', recording: large }, recording: large }));
    await flow.user.click(button('Weiter'));
    await expectToast({ title: 'Aufnahme zu groß', description: '26,0 MB. Höchstens 25 MB' });
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('desk: where the operator keeps recordings', () => {
  const segments = [{ start: 0.5, text: 'Hallo Welt' }];
  const kept = (): void => void Object.assign(fake.backend.config, { keepRecordings: true });

  it('says so before recording, and sends it along with its times', async () => {
    kept();
    says({ ok: true, text: 'Hallo Welt', segments });
    const flow = await openVoiceMessage(fake);
    expect(screen.getByText(/^Deine Aufnahme wird zusammen mit dem Text eingereicht\./)).toBeTruthy();
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.media).toEqual([
      expect.objectContaining({ interview_id: 4711, file_type: 'audio/webm', spoken: segments }),
    ]);
    expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
  });

  it('without times it goes along all the same', async () => {
    kept();
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.media).toHaveLength(1);
    expect(fake.media[0]).not.toHaveProperty('spoken');
  });

  it('what has begun to go by the outbox takes it along, with its times', async () => {
    kept();
    says({ ok: true, text: 'Hallo Welt', segments });
    fake.interviews.set(4711, { id: 4711 });
    const of = { owner: ownerHere(fake.backend.config), area: 'generic', contentId: '4711' } as const;
    await browserOutbox().keep(of, [{ kind: 'answers', answers: { who: '', what: '', when: '', where: '', why: '' } }]);
    const flow = await openVoiceMessage(fake, 'generic', { interviewId: '4711' });
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    const [entry] = await browserOutbox().store.list(of.owner);
    const parts = entry?.parts.map(({ content }) => content);
    expect(parts?.find(({ kind }) => kind === 'recording')).toMatchObject({ spoken: segments });
    expect(fake.media).toEqual([]);
  });

  it('goes by the outbox where it could not be sent now (decision 0357)', async () => {
    kept();
    fake.fail('POST media_uploads', NETWORK, 99);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(await keptBy(ownerHere(fake.backend.config))).toContainEqual({
      contentId: '4711',
      parts: ['Sprachnachricht.webm'],
    });
    expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
  });

  it('goes by the outbox with its text where no row could be made (decision 0357)', async () => {
    kept();
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.fail('POST interviews', NETWORK, 99);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(await keptBy(ownerHere(fake.backend.config))).toContainEqual({
      contentId: expect.stringMatching(/^local_voice_/),
      parts: ['transcript', 'Sprachnachricht.webm'],
    });
    expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
  });

  it('Reports a recording that cannot be sent, keeps it on this device and lets the user go on', async () => {
    kept();
    fake.fail('POST object', refusal(403, '42501'), 9);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await expectToast({ title: 'Aufnahme nicht mitgeschickt' });
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.interviews.get(4711)).toMatchObject({ transcript: 'Hallo Welt' });
    expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
  });

  it('Sends and mentions no recording where the operator keeps none', async () => {
    const flow = await openVoiceMessage(fake);
    expect(screen.queryByText(/zusammen mit dem Text eingereicht/)).toBeNull();
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.media).toEqual([]);
  });
});

describe('§8, D21 where there is no transcript', () => {
  it('generic: toast and alert with the service message, the recording stays, it can be repeated', async () => {
    says(broken);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    const message = 'Fehler bei der Transkription: 500 Internal Server Error';
    await expectToast({ title: 'Transkriptionsfehler', description: message });
    expect(screen.getByRole('alert').textContent).toContain(`Transkriptionsfehler: ${message}`);
    expect(flow.went).toEqual([]);
    expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
    says({ ok: true, text: 'Doch noch', segments: [] });
    await waitForState(() => expect(button('Erneut versuchen')).toBeTruthy());
    await flow.user.click(button('Erneut versuchen'));
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
  });

  it('without a row the recording goes by the outbox (D21, decision 0357)', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    says(broken);
    fake.fail('POST interviews', NETWORK, 99);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await sendAudio(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(await keptBy(ownerHere(fake.backend.config))).toContainEqual({
      contentId: expect.stringMatching(/^local_voice_/),
      parts: ['Sprachnachricht.webm'],
    });
    expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
  });

  it('says before the recording that nothing transcribes here, and hands it in without asking', async () => {
    Object.assign(fake.backend.config, { transcription: false });
    const transcribe = says(broken);
    const flow = await openVoiceMessage(fake);
    expect(screen.getByText(/Hier wird gerade nicht mitgeschrieben/)).toBeTruthy();
    await continueWith(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(transcribe).not.toHaveBeenCalled();
    expect(fake.media).toHaveLength(1);
  });

  it('offers no second try where only the operator can mend it', async () => {
    says({ ok: false, error: { kind: 'unavailable' } });
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await waitForState(() => expect(button('Ohne Transkript weiter')).toBeTruthy());
    expect(screen.queryByRole('button', { name: 'Erneut versuchen' })).toBeNull();
  });

  it('Has its own text in the test area, and the step can be repeated (§8)', async () => {
    says(broken);
    const flow = await openVoiceMessage(fake, 'testnormec');
    await continueWith(flow, 'Hochladen & Transkribieren');
    await expectToast({
      title: 'Transkription fehlgeschlagen',
      description: 'Die Sprachnachricht konnte nicht verarbeitet werden.',
    });
    expect(flow.went).toEqual([]);
    says({ ok: true, text: 'Doch noch', segments: [] });
    await flow.user.click(button('Hochladen & Transkribieren'));
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
  });

  it('Says that processing failed after something unforeseen (§8)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    says(new RangeError('provoked'));
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description: 'Es gab ein Problem beim Verarbeiten Ihrer Sprachnachricht.',
    });
    expect(button('Weiter')).toBeTruthy();
  });

  it('Ohne Transkript weiter: sends the audio and opens the editor for typing', async () => {
    says(broken);
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await sendAudio(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(edits(flow)[0]).toMatchObject({ state: { transcript: '', interviewId: '4711' } });
    expect(fake.media[0]).toMatchObject({ interview_id: 4711, file_type: 'audio/webm' });
    expect([...fake.objects.keys()][0]).toMatch(/^4711\/\d+_[0-9a-f]{32}\.webm$/);
  });

  it('Another recording without a transcript leaves the text that was written (decision 0372)', async () => {
    Object.assign(fake.backend.config, { transcription: false });
    const first = await openVoiceMessage(fake);
    await continueWith(first);
    await waitForState(() => expect(edits(first)).toHaveLength(1));
    first.unmount();
    sessionStorage.setItem('latestTranscript', 'Getippt');
    resetParts();
    const again = await openVoiceMessage(fake, 'generic', { interviewId: '4711' });
    act(() => setRecorder({ state: { status: 'recorded', recording: second }, recording: second }));
    await again.user.click(button('Weiter'));
    await expectToast({ title: 'Aufnahme hochgeladen', description: 'Dein Text ist noch da.' });
    await waitForState(() => expect(edits(again)).toHaveLength(1));
    expect(edits(again)[0]).toMatchObject({ state: { transcript: 'Getippt', interviewId: '4711' } });
    expect(sessionStorage.getItem('latestTranscript')).toBe('Getippt');
    expect(fake.media).toHaveLength(2);
  });

  it('A recording that is only kept leaves the text that was written, too', async () => {
    says(broken);
    fake.fail('POST object', NETWORK, 99);
    fake.interviews.set(7, { id: 7 });
    sessionStorage.setItem('latestTranscript', 'Getippt');
    sessionStorage.setItem('transcriptInterviewId', '7');
    const flow = await openVoiceMessage(fake, 'generic', { interviewId: '7' });
    await continueWith(flow);
    await waitForState(() => expect(button('Auf diesem Gerät sichern')).toBeTruthy());
    await flow.user.click(button('Auf diesem Gerät sichern'));
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(edits(flow)[0]).toMatchObject({ state: { transcript: 'Getippt' } });
    expect(sessionStorage.getItem('latestTranscript')).toBe('Getippt');
  });

  it('Ohne Transkript weiter: says when the audio could not be sent, and sends the same file again', async () => {
    logIn();
    vi.spyOn(console, 'error').mockImplementation(() => {});
    says(broken);
    fake.fail('POST media_uploads', refusal(403, '42501'));
    const flow = await openVoiceMessage(fake);
    await continueWith(flow);
    await sendAudio(flow);
    await expectToast({ title: 'Upload fehlgeschlagen' });
    expect(edits(flow)).toEqual([]);
    await sendAudio(flow);
    await waitForState(() => expect(edits(flow)).toHaveLength(1));
    expect(fake.objects.size).toBe(1);
  });
});
