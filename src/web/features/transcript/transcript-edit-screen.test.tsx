import '#tests/support/indexed-db.ts';
import { screen } from '@testing-library/react';
import { type ReactNode, useEffect } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isWorkRunning, watchActivity } from '#web/backend/activity.ts';
import { makeAudioAddress } from '#web/submission/files.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { fileTexts } from '#web/submission/texts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { NETWORK, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { emptyOutbox } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowPlace,
  freezeTime,
  pass,
  renderFlow,
  waitForRetry,
  waitForState,
  toastVariant,
} from '#tests/support/web/render-flow.tsx';
import { TranscriptEditScreen } from './index.tsx';

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));

beforeEach(() => emptyOutbox(DEVICE_OWNER));

const open = (place: Omit<FlowPlace, 'backend'> = {}) =>
  renderFlow(<TranscriptEditScreen />, { ...place, backend: fake.backend });
const next = () => screen.getByRole('button', { name: 'Weiter zum Bild-Upload' });
const field = () => screen.getByRole('textbox', { name: 'Transkript' });
const state = { transcript: 'Hallo', interviewId: '7' };

describe('§2.7 transcript edit', () => {
  it('shows transcript and Content-ID', () => {
    open({ state });
    expect(field()).toHaveProperty('value', 'Hallo');
    expect(screen.getByText(/Content-ID/).textContent).toContain('7');
  });

  it('saves file and row, says so and goes on with the id', async () => {
    const { user, went } = open({ state });
    await user.type(field(), ' Welt');
    await user.click(next());
    await expectToast({ title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' });
    expect(went).toEqual([{ to: 'image-upload-after-voice', state: { interviewId: '7' } }]);
    expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Hallo Welt' });
    expect(fake.media[0]).toMatchObject({ interview_id: 7, file_type: 'text/plain' });
  });

  it('disables the button when the transcript is empty, and says on Ctrl+Enter that there is nothing', async () => {
    const { user, went } = open({ state });
    await user.clear(field());
    expect(next()).toHaveProperty('disabled', true);
    await user.type(field(), '{Control>}{Enter}{/Control}');
    await expectToast({ title: 'Keine Transkription vorhanden', description: 'Es gibt nichts zu speichern.' });
    expect(went).toEqual([]);
  });

  it('disables the button while saving and ignores a second submit', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 1);
    const { user, went } = open({ state });
    await user.click(next());
    const busy = screen.getByRole('button', { name: 'Wird gespeichert...' });
    expect(busy).toHaveProperty('ariaDisabled', 'true');
    expect(busy, 'it would lose the focus (WCAG 2.4.3)').toHaveProperty('disabled', false);
    expect(screen.queryByRole('button', { name: 'Zurück' })).toBeNull();
    await user.type(field(), '{Control>}{Enter}{/Control}');
    await waitForState(() => expect(fake.called('PATCH interviews')).toHaveLength(1));
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    await waitForRetry();
    await pass(1000);
    await waitForState(() => expect(went).toHaveLength(1));
    expect(fake.called('PATCH interviews')).toHaveLength(1);
  });

  it('Logs nobody out in the middle of it (D17)', async () => {
    const held = Promise.withResolvers<void>();
    fake.fail('POST object', held.promise);
    const { user, went } = open({ state, area: 'testnormec' });
    const onIdle = vi.fn();
    const stop = watchActivity({ onIdle, onWarning: () => undefined });
    await user.click(next());
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    localStorage.setItem('last_activity', String(Date.now() - 45 * 60_000));
    window.dispatchEvent(new Event('mousemove'));
    expect(onIdle).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Wird gespeichert...' })).toBeTruthy();
    held.resolve();
    await waitForState(() => expect(went).toHaveLength(1));
    await waitForState(() => expect(isWorkRunning()).toBe(false));
    localStorage.setItem('last_activity', String(Date.now() - 45 * 60_000));
    window.dispatchEvent(new Event('mousemove'));
    expect(onIdle, 'afterwards, somebody who is away').toHaveBeenCalledOnce();
    stop();
  });

  it('goes on saving when the screen is left, and does not move the person on', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK);
    const { user, went, leave } = open({ state });
    await user.click(next());
    await waitForRetry();
    leave();
    await pass(1000);
    await expectToast({ title: 'Erfolg' });
    expect(went).toEqual([]);
  });

  it.each(['POST object', 'PATCH interviews'])(
    'Shows a Speicherwarnung where %s fails and goes on (§8)',
    async (call) => {
      fake.fail(call, refusal(403, '42501'), 9);
      const { user, went } = open({ state });
      await user.click(next());
      await expectToast({
        title: 'Speicherwarnung',
        description: 'Das Transkript konnte nicht vollständig gespeichert werden.',
      });
      expect(toastVariant()).toBe('default');
      expect(went).toHaveLength(1);
    },
  );

  it.each([
    { what: 'no answer', failure: NETWORK },
    { what: '500', failure: refusal(500, 'XX000') },
    { what: '429', failure: refusal(429, 'over_contribution_limit') },
  ])('A text that could not be saved goes by the outbox: $what (decision 0352)', async ({ failure }) => {
    fake.fail('PATCH interviews', failure, 9);
    const { user, went } = open({ state });
    await user.type(field(), ' Welt');
    await user.click(next());
    await expectToast({
      title: 'Transkript gespeichert',
      description: 'Es liegt im Ausgangskorb und wird von selbst gesendet.',
    });
    expect(went).toHaveLength(1);
    const [entry] = await browserOutbox().store.list(DEVICE_OWNER);
    expect(entry).toMatchObject({ contentId: '7', parts: [{ content: { kind: 'transcript', text: 'Hallo Welt' } }] });
  });

  it('A text that was corrected meanwhile takes the place of the first in the outbox (decision 0352)', async () => {
    fake.fail('PATCH interviews', NETWORK, 9);
    for (const words of [' Welt', ', schöne']) {
      const { user, went, unmount } = open({ state });
      await user.type(field(), words);
      await user.click(next());
      await waitForState(() => expect(went).toHaveLength(1));
      unmount();
    }
    const entries = await browserOutbox().store.list(DEVICE_OWNER);
    expect(entries.map(({ parts }) => parts.map(({ content }) => content))).toEqual([
      [expect.objectContaining({ kind: 'transcript', text: 'Hallo Welt, schöne' })],
    ]);
  });

  it('A text that fails after a later one arrived does not follow it by the outbox (decision 0358)', async () => {
    const answer = Promise.withResolvers<void>();
    fake.fail('POST object', answer.promise);
    const first = open({ state });
    await first.user.click(next());
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    first.unmount();
    const second = open({ state });
    await second.user.type(field(), ' Welt');
    await second.user.click(next());
    await waitForState(() => expect(second.went).toHaveLength(1));
    fake.fail('POST media_uploads', refusal(500, 'XX000'), 3);
    answer.resolve();
    await vi.waitFor(() => expect(fake.called('POST media_uploads')).toHaveLength(4));
    await expectToast({ title: 'Erfolg' });
    expect(await browserOutbox().store.list(DEVICE_OWNER)).toEqual([]);
    expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Hallo Welt' });
  });

  it('Says which limit kept the text from being saved (D19)', async () => {
    fake.fail('PATCH interviews', refusal(400, 'contribution_full'), 9);
    const { user, went } = open({ state });
    await user.click(next());
    await waitForState(() => expect(toastVariant()).toBe('destructive'));
    expect(screen.queryByText('Speicherwarnung')).toBeNull();
    expect(went).toHaveLength(1);
  });

  it('Stays with "Fehler beim Absenden" after something unforeseen (§8)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { user, went } = open({ state });
    vi.stubGlobal('Blob', undefined);
    await user.click(next());
    vi.unstubAllGlobals();
    await expectToast({
      title: 'Fehler beim Absenden',
      description: 'Es gab ein Problem beim Speichern des Transkripts. Bitte versuchen Sie es erneut.',
    });
    expect(went).toEqual([]);
    expect(next()).toHaveProperty('disabled', false);
  });

  it('a local id keeps the transcript in the browser only, and says so', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    for (const look of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(look, NETWORK);
    const { user, went } = open({ state: { ...state, interviewId: 'local_voice_1_a' } });
    await user.click(next());
    await expectToast({ title: 'Transkript gespeichert', description: 'lokal' });
    expect(sessionStorage.getItem('latestTranscript')).toBe('Hallo');
    expect(went).toHaveLength(1);
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it('A local id becomes the database’s as soon as the backend answers, and the text arrives (§3, §4)', async () => {
    const { user, went } = open({ state: { ...state, interviewId: 'local_voice_1_a' } });
    await user.click(next());
    await expectToast({ title: 'Erfolg' });
    expect(fake.called('PATCH interviews').at(-1)?.body).toEqual({ transcript: 'Hallo' });
    expect(Number(sessionStorage.getItem('exchanged_id:local_voice_1_a'))).toBeGreaterThan(4_000);
    expect(went).toHaveLength(1);
  });

  it('What was said of a local id ends once the outbox has made its row, and nothing else does (§8)', async () => {
    const Arrival = (): ReactNode => {
      const toast = useToast();
      useEffect(() => toast(fileTexts.localId), [toast]);
      return <TranscriptEditScreen />;
    };
    renderFlow(<Arrival />, { state: { ...state, interviewId: 'local_voice_1_a' }, backend: fake.backend });
    expect(await screen.findByText('Hinweis')).toBeTruthy();
    sessionStorage.setItem('exchanged_id:local_voice_1_a', '31');
    browserOutbox().changed();
    await waitForState(() => expect(screen.getByText(/Content-ID/).textContent).toContain('31'));
    await waitForState(() => expect(screen.queryByText('Hinweis')).toBeNull());
  });

  it('Warns of a missing Content-ID and lets the user go on (§5)', async () => {
    const { user, went } = open({ state: { transcript: 'Hallo' } });
    await expectToast({ title: 'Keine Content-ID' });
    await user.click(next());
    expect(went).toEqual([{ to: 'image-upload-after-voice', state: {} }]);
  });

  it.each([
    ['generic', 'modern-interview'],
    ['firma-a', 'modern-interview'],
    ['testnormec', 'voice-message'],
  ] as const)('without a transcript warns and redirects: %s → %s', async (area, to) => {
    const { went } = open({ area });
    await expectToast({
      title: 'Keine Transkription vorhanden',
      description: 'Bitte nehmen Sie erst eine Sprachnachricht auf.',
    });
    expect(went).toEqual([{ to, replace: true }]);
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('speech.md: an empty transcript handed over is one to be typed', () => {
    const { went } = open({ state: { transcript: '', interviewId: '7' } });
    expect(field()).toHaveProperty('value', '');
    expect(went).toEqual([]);
  });

  it('back goes to the voice message of the same contribution', async () => {
    const { user, went } = open({ state });
    await user.click(screen.getByRole('button', { name: 'Zurück' }));
    expect(went).toEqual([{ to: 'voice-message', state: { interviewId: '7', transcript: 'Hallo' } }]);
  });

  it.each([
    ['interview', 'tech-dive', { to: 'interview', topic: 'tech-dive' }],
    ['interview', undefined, { to: 'voice-message', state: { interviewId: '7', transcript: 'Hallo' } }],
    ['voice', undefined, { to: 'voice-message', state: { interviewId: '7', transcript: 'Hallo' } }],
  ] as const)('back on the way %s with the topic %s (decision 0366)', async (way, topic, target) => {
    const { user, went } = open({ state, way, ...(topic === undefined ? {} : { topic }) });
    await user.click(screen.getByRole('button', { name: 'Zurück' }));
    expect(went).toEqual([target]);
  });

  it('keeps unsaved edits over a reload', async () => {
    const first = open({ state });
    await first.user.type(field(), ' Welt');
    first.unmount();
    open({ state });
    expect(field()).toHaveProperty('value', 'Hallo Welt');
  });

  it('does not take the draft of another contribution', () => {
    sessionStorage.setItem('latestTranscript', 'Alt');
    sessionStorage.setItem('transcriptInterviewId', '6');
    open({ state });
    expect(field()).toHaveProperty('value', 'Hallo');
  });

  it('does not take the text of another contribution for its own, nor save it (decision 0371)', async () => {
    localStorage.setItem('interviewTranscript', 'Fremd');
    localStorage.setItem('interviewTranscript:contribution', '6');
    const { went } = open({ state: { interviewId: '7' } });
    await waitForState(() => expect(went).toEqual([{ to: 'modern-interview', replace: true }]));
    expect(document.body.textContent).not.toContain('Fremd');
  });

  it('goes on in another tab with what was typed for this one, where nothing else is there', () => {
    localStorage.setItem('interviewTranscript', 'Getippt');
    localStorage.setItem('interviewTranscript:contribution', '7');
    open({ state: { interviewId: '7', transcript: '' } });
    expect(field()).toHaveProperty('value', 'Getippt');
  });

  it('Says when the text is too long and does not save it (D19)', async () => {
    const limit = fake.backend.config.limits.transcriptCharacters;
    const { user } = open({ state: { ...state, transcript: 'x'.repeat(limit) } });
    expect(next()).toHaveProperty('disabled', false);
    await user.type(field(), 'y');
    expect(screen.getByRole('alert').textContent).toContain('Höchstens 200.000 Zeichen');
    expect(next()).toHaveProperty('disabled', true);
  });

  it('offers the recording for listening, but not after a reload, when its address is dead', () => {
    URL.createObjectURL = () => 'blob:alive';
    const audioUrl = makeAudioAddress(new Blob(['ton']));
    const { unmount } = open({ state: { ...state, audioUrl } });
    const player = screen.getByRole('group', { name: 'Deine Aufnahme' });
    expect(player.querySelector('audio')).toHaveProperty('src', 'blob:alive');
    unmount();
    open({ state: { ...state, audioUrl: 'blob:dead' } });
    expect(screen.queryByLabelText('Deine Aufnahme')).toBeNull();
  });

  describe('after an interview whose last words are still being understood', () => {
    const LATE = 'Hallo\n\nDu: Und tschüss.';
    const after = (place: Omit<FlowPlace, 'backend'> = {}) => {
      freezeTime();
      return open({ state, way: 'interview', ...place });
    };
    const understand = async (): Promise<void> => {
      fake.interviews.set(7, { id: 7, transcript: LATE });
      await pass(2_000);
    };

    it('adds them to what is being corrected', async () => {
      const { user } = after();
      await user.type(field(), '!', { initialSelectionStart: 0, initialSelectionEnd: 0 });
      await understand();
      await waitForState(() => expect(field()).toHaveProperty('value', '!Hallo\n\nDu: Und tschüss.'));
    });

    it('adds them to a text that was corrected before the page was loaded again, and only once', async () => {
      sessionStorage.setItem('latestTranscript', 'Halli');
      sessionStorage.setItem('transcriptInterviewId', '7');
      const { unmount, user } = after();
      await understand();
      await waitForState(() => expect(field()).toHaveProperty('value', 'Halli\n\nDu: Und tschüss.'));
      await user.type(field(), '{Backspace}!');
      unmount();
      after();
      await understand();
      expect(fake.called('GET interviews')).toHaveLength(1);
      expect(field()).toHaveProperty('value', 'Halli\n\nDu: Und tschüss!');
    });

    it('adds those of an interview that went on as well', async () => {
      const { unmount } = after();
      await understand();
      await waitForState(() => expect(field()).toHaveProperty('value', LATE));
      unmount();
      sessionStorage.setItem('latestTranscript', `${LATE}\n\nDu: Halt.`);
      after({ state: { ...state, transcript: `${LATE}\n\nDu: Halt.` } });
      fake.interviews.set(7, { id: 7, transcript: `${LATE}\n\nDu: Halt.\n\nDu: Noch etwas.` });
      await pass(2_000);
      await waitForState(() => expect(field()).toHaveProperty('value', `${LATE}\n\nDu: Halt.\n\nDu: Noch etwas.`));
    });

    it('adds nothing that was handed in already', async () => {
      sessionStorage.setItem('latestTranscript', LATE);
      sessionStorage.setItem('transcriptInterviewId', '7');
      after();
      await understand();
      expect(fake.called('GET interviews')).toHaveLength(1);
      expect(field()).toHaveProperty('value', LATE);
    });

    it('adds none to a text of another way', async () => {
      after({ way: 'voice' });
      await understand();
      expect(fake.called('GET interviews')).toEqual([]);
      expect(field()).toHaveProperty('value', 'Hallo');
    });
  });
});
