import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AreaId } from '#contract/areas.ts';
import { type FakeBackend, startFakeBackend } from '#tests/support/web/fake-backend.ts';
import type { RecorderNotice } from './recording/state.ts';
import {
  button,
  fakeRecorder,
  openVoiceMessage,
  recorded,
  reportNotice,
  resetParts,
  setRecorder,
} from '#tests/support/web/fake-parts.tsx';

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
afterEach(() => {
  vi.restoreAllMocks();
  fake.close();
});

describe('§2.6, §4 the recorder on the screen', () => {
  it('starts and stops with the round button; the timer shows mm:ss', async () => {
    const { user } = await openVoiceMessage(fake);
    await user.click(button('Aufnahme starten'));
    expect(fakeRecorder().start).toHaveBeenCalledTimes(1);
    act(() => setRecorder({ state: { status: 'recording', seconds: 65, paused: false }, seconds: 65 }));
    expect(screen.getByRole('timer').textContent).toBe('01:05');
    expect(screen.getByText('Aufnahme läuft')).toBeTruthy();
    await user.click(button('Pause'));
    expect(fakeRecorder().pause).toHaveBeenCalledTimes(1);
    await user.click(button('Aufnahme beenden'));
    expect(fakeRecorder().stop).toHaveBeenCalledTimes(1);
  });

  it('Says so while the microphone gives silence, as in a phone call (§8)', async () => {
    const track = Object.assign(new EventTarget(), { muted: false });
    const mute = (muted: boolean) => {
      track.muted = muted;
      track.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
    };
    await openVoiceMessage(fake);
    const state = { status: 'recording', seconds: 1, paused: false } as const;
    act(() => setRecorder({ state, track: track as unknown as MediaStreamTrack }));
    act(() => mute(true));
    expect(screen.queryByText('Aufnahme läuft')).toBeNull();
    expect(screen.getByText('Dein Mikrofon ist gerade stumm')).toBeTruthy();
    act(() => mute(false));
    expect(screen.getByText('Aufnahme läuft')).toBeTruthy();
  });

  it('once recorded, start is disabled and play, reset and continue are offered', async () => {
    const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
    const { user } = await openVoiceMessage(fake);
    act(recorded);
    expect(button('Aufnahme starten')).toHaveProperty('disabled', true);
    await user.click(button('Abspielen'));
    expect(play).toHaveBeenCalledTimes(1);
    expect(button('Weiter')).toBeTruthy();
    await user.click(button('Neue Aufnahme'));
    expect(button('Aufnahme starten')).toHaveProperty('disabled', false);
  });

  it('keeps the last recording until the new one is finished: one tap discards nothing', async () => {
    const { user } = await openVoiceMessage(fake);
    act(recorded);
    await user.click(button('Neue Aufnahme'));
    expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
    expect(screen.getByText(/Deine letzte Aufnahme \(00:12\)/)).toBeTruthy();
    await user.click(button('Vorherige behalten'));
    expect(button('Abspielen')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Vorherige behalten' })).toBeNull();
  });

  it('test variant: the buttons after a recording, by their names', async () => {
    await openVoiceMessage(fake, 'testnormec');
    expect(screen.queryByRole('button', { name: 'Hochladen & Transkribieren' })).toBeNull();
    act(recorded);
    for (const name of ['Abspielen', 'Neue Aufnahme', 'Hochladen & Transkribieren']) expect(button(name)).toBeTruthy();
  });

  it.each<[RecorderNotice, string, string]>([
    [{ type: 'stopped', automatic: true }, 'Höchstdauer', 'status'],
    [{ type: 'error', code: 'permission', kept: false }, 'Mikrofon-Zugriff wurde verweigert', 'alert'],
    [{ type: 'error', code: 'unsupported', kept: false }, 'Chrome, Firefox oder Edge', 'alert'],
    [{ type: 'error', code: 'audio-init', kept: false }, 'Problem mit der Audioinitialiserung.', 'alert'],
    [{ type: 'initialising' }, 'Audioinitialisierung läuft noch...', 'status'],
  ])('Notice for %j, until the next one (§8)', async (notice, words, role) => {
    await openVoiceMessage(fake);
    act(() => reportNotice(notice));
    expect(screen.getByRole(role, { name: '' }).textContent).toContain(words);
    expect(document.querySelector('li[data-variant]')).toBeNull();
    act(() => reportNotice({ type: 'started' }));
    expect(screen.queryByText(new RegExp(words))).toBeNull();
  });

  it('Says beside the level that the recording has started, is paused, and has ended (§8)', async () => {
    setRecorder({ state: { status: 'recording', paused: false, seconds: 0 } });
    await openVoiceMessage(fake);
    expect(screen.getByText('Aufnahme gestartet')).toBeTruthy();
    act(() => setRecorder({ state: { status: 'recording', paused: true, seconds: 1 } }));
    expect(screen.getByText('Aufnahme pausiert')).toBeTruthy();
    expect(screen.queryByText('Aufnahme gestartet')).toBeNull();
    act(recorded);
    expect(screen.getByText(/^Aufnahme beendet/)).toBeTruthy();
  });

  it('offers a recording that a crash left behind', async () => {
    const lost = {
      id: 'r1',
      owner: '',
      area: 'generic',
      startedAt: 0,
      seconds: 61,
      bytes: 9,
      mime: 'x',
      extension: 'webm',
    } as const;
    setRecorder({ recovered: [lost] });
    const { user } = await openVoiceMessage(fake);
    expect(document.body.textContent).toContain('01:01');
    await user.click(button('Damit weitermachen'));
    expect(fakeRecorder().restore).toHaveBeenCalledWith('r1');
    await user.click(button('Verwerfen'));
    expect(fakeRecorder().discardRecovered).toHaveBeenCalledWith('r1');
  });

  it('says when this device cannot keep the recording', async () => {
    setRecorder({ safe: false });
    await openVoiceMessage(fake);
    expect(screen.getByText(/Bitte schließe die Seite nicht/)).toBeTruthy();
  });

  it('lets the user choose between microphones', async () => {
    setRecorder({
      inputs: [
        { id: 'a', label: 'Headset' },
        { id: 'b', label: 'Eingebaut' },
      ],
    });
    const { user } = await openVoiceMessage(fake);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Mikrofon' }), 'Eingebaut');
    expect(fakeRecorder().chooseInput).toHaveBeenCalledWith('b');
  });

  it.each<AreaId>(['generic', 'testnormec'])('%s: back goes to the start of the area', async (area) => {
    const { user, went } = await openVoiceMessage(fake, area);
    await user.click(button('Zurück'));
    expect(went).toEqual([{ to: 'home' }]);
  });
});
