import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BrowserRecognition, RecognitionConstructor, RecognitionEvents } from '#web/speech/browser-recognition.ts';
import { createFakeCall } from '#tests/support/web/fake-call.ts';
import { withBrowserRecognition } from './start-call.ts';
import { openBrowserVoice, withBrowserVoice, type BrowserVoice } from './browser-voice.ts';
import type { CallEvents } from './call.ts';
import { watchLine } from './client-call.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function listener(): Readonly<{ events: CallEvents; heard: string[] }> {
  const heard: string[] = [];
  const events: CallEvents = {
    onTurn: ({ speaker, text }) => void heard.push(`${speaker}: ${text}`),
    onCorrection: (_, corrected) => void heard.push(`corrected ${corrected}`),
    onTentative: (text) => void heard.push(`… ${text}`),
    onSpeaking: (speaks) => void heard.push(`speaking ${speaks}`),
    onListening: (microphoneOpen) => void heard.push(`listening ${microphoneOpen}`),
    onMicrophoneLost: () => undefined,
    onMicrophoneMuted: (muted) => void (muted && heard.push('silenced')),
    onEnd: ({ by }) => void heard.push(`end ${by}`),
  };
  return { events, heard };
}

const agentSays = (text: string) => (events: CallEvents) => events.onTurn({ speaker: 'agent', text, eventId: 1 });

describe('Browser voice', () => {
  test('Reads the interviewer out with a muted microphone', async () => {
    const { call, report, did } = createFakeCall();
    const reading = Promise.withResolvers<void>();
    const voice: BrowserVoice = { read: () => reading.promise, silence: () => undefined };
    const spoken = withBrowserVoice(call, voice);
    const { events, heard } = listener();
    spoken.subscribe(events);
    report(agentSays('Hallo'));
    expect(did).toEqual(['mute true']);
    reading.resolve();
    await vi.waitFor(() => expect(heard).toEqual(['agent: Hallo', 'speaking true', 'speaking false']));
    expect(did).toEqual(['mute true', 'mute false']);
  });

  test('Stays muted after the interviewer has spoken', async () => {
    const { call, report, did } = createFakeCall();
    const spoken = withBrowserVoice(call, { read: () => Promise.resolve(), silence: () => undefined });
    const { events, heard } = listener();
    spoken.subscribe(events);
    spoken.mute(true);
    report(agentSays('Hallo'));
    await vi.waitFor(() => expect(heard).toContain('speaking false'));
    expect(did).not.toContain('mute false');
  });

  test.each(['say', 'end', 'correction', 'lost'])('falls silent on %s', (what) => {
    const { call, report } = createFakeCall();
    const silence = vi.fn();
    const spoken = withBrowserVoice(call, { read: () => new Promise(() => undefined), silence });
    spoken.subscribe(listener().events);
    report(agentSays('Hallo'));
    silence.mockClear();
    if (what === 'say') spoken.say('Moment');
    if (what === 'end') spoken.end();
    if (what === 'correction') report((events) => events.onCorrection('Hallo', 'Ha …'));
    if (what === 'lost') report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }));
    expect(silence).toHaveBeenCalledOnce();
  });

  test('Reads a goodbye of the interviewer to its end', () => {
    const { call, report } = createFakeCall();
    const silence = vi.fn();
    withBrowserVoice(call, { read: () => Promise.resolve(), silence }).subscribe(listener().events);
    report((events) => events.onEnd({ by: 'agent' }));
    expect(silence).not.toHaveBeenCalled();
  });

  test('Reads nothing without a German voice', async () => {
    const synthesis = synthesisWith([{ lang: 'en-US', default: true }]);
    expect(await openBrowserVoice(synthesis)).toBeUndefined();
    expect(await openBrowserVoice(undefined)).toBeUndefined();
  });

  test('Reads sentence by sentence and survives a voice that stops without an event', async () => {
    const synthesis = synthesisWith([{ lang: 'de_DE', default: false }]);
    const voice = await openBrowserVoice(synthesis);
    const read = voice?.read('Hallo du. Was baut ihr?', 0.5);
    expect(synthesis.said).toEqual(['Hallo du.']);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(synthesis.said).toEqual(['Hallo du.', 'Was baut ihr?']);
    await vi.advanceTimersByTimeAsync(6_000);
    await read;
  });
});

class FakeUtterance extends EventTarget {
  readonly text: string;
  voice: unknown;
  lang = '';
  volume = 1;
  constructor(text: string) {
    super();
    this.text = text;
  }
}

function synthesisWith(voices: readonly Readonly<{ lang: string; default: boolean }>[]) {
  vi.stubGlobal('SpeechSynthesisUtterance', FakeUtterance);
  const said: string[] = [];
  return {
    said,
    getVoices: () => voices as SpeechSynthesisVoice[],
    speak: (utterance: SpeechSynthesisUtterance) => void said.push(utterance.text),
    cancel: () => undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
}

class FakeRecognition implements BrowserRecognition {
  static latest: FakeRecognition | undefined;
  lang = '';
  continuous = false;
  interimResults = false;
  maxAlternatives = 1;
  processLocally = false;
  aborted = false;
  readonly listeners: { [Type in keyof RecognitionEvents]?: (event: RecognitionEvents[Type]) => void } = {};
  constructor() {
    FakeRecognition.latest = this;
  }
  addEventListener: BrowserRecognition['addEventListener'] = (type, call) =>
    void Object.assign(this.listeners, { [type]: call });
  start(): void {}
  stop(): void {}
  abort(): void {
    this.aborted = true;
  }
  understand(final: string, interim = ''): void {
    const result = (transcript: string, isFinal: boolean) => Object.assign([{ transcript }], { isFinal });
    this.listeners.result?.({ resultIndex: 0, results: [result(final, true), result(interim, false)] });
  }
}

describe('Browser recognition', () => {
  const createTrack = () => Object.assign(new EventTarget(), { stop: vi.fn(), muted: false });
  let track = createTrack();
  beforeEach(() => void (track = createTrack()));
  const stream = { getTracks: () => [track], getAudioTracks: () => [track] } as unknown as MediaStream;
  const meter = { read: () => 0.7, close: vi.fn() };
  const hear = () => {
    const fake = createFakeCall({ microphoneOpen: false });
    const heard = listener();
    const Recognition: RecognitionConstructor = FakeRecognition;
    const call = withBrowserRecognition(fake.call, { stream, Recognition, cloud: false, meter });
    call.subscribe(heard.events);
    return { ...fake, call, heard: heard.heard };
  };

  test('Tells of a microphone that the device mutes, as during a phone call', () => {
    const { heard } = hear();
    expect(heard).not.toContain('silenced');
    track.muted = true;
    track.dispatchEvent(new Event('mute'));
    expect(heard).toContain('silenced');
  });

  test('Sends the words 0.9 s after the last one', () => {
    const { did, heard } = hear();
    FakeRecognition.latest?.understand('Wir bauen', 'eine');
    vi.advanceTimersByTime(5_000);
    expect(did).toEqual([]);
    FakeRecognition.latest?.understand('Wir bauen eine Halle.');
    vi.advanceTimersByTime(899);
    expect(did).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(did).toEqual(['say Wir bauen eine Halle.']);
    FakeRecognition.latest?.understand('Wir bauen eine Halle. In Bremen.');
    vi.advanceTimersByTime(900);
    expect(did.at(-1)).toBe('say In Bremen.');
    expect(heard).toContain('… Wir bauen eine');
  });

  test('Recognizes nothing while muted', () => {
    const { call } = hear();
    expect(call.levels().input).toBe(0.7);
    call.mute(true);
    expect(call.levels().input).toBe(0);
    expect(FakeRecognition.latest?.aborted).toBe(true);
  });

  test('Sends the last words and releases the microphone at the end', () => {
    const { call, did, heard } = hear();
    FakeRecognition.latest?.understand('Und tschüss.');
    track.stop.mockClear();
    call.end();
    expect(did).toEqual(['say Und tschüss.', 'end']);
    expect(heard).toContain('user: Und tschüss.');
    expect(track.stop).toHaveBeenCalledOnce();
    expect(meter.close).toHaveBeenCalled();
  });

  test('Sends at the end, and when it is muted, also what the browser may still correct', () => {
    const { call, did, heard } = hear();
    FakeRecognition.latest?.understand('Wir bauen', 'eine Halle');
    call.mute(true);
    call.mute(false);
    FakeRecognition.latest?.understand('', 'in Bremen');
    call.end();
    expect(did).toEqual(['say Wir bauen eine Halle', 'say in Bremen', 'end']);
    expect(heard).toContain('user: in Bremen');
  });

  test.each(['agent', 'lost'] as const)('Releases the microphone at an end by %s, and keeps the last words', (by) => {
    const { report, heard } = hear();
    FakeRecognition.latest?.understand('Wir bauen', 'eine Halle');
    track.stop.mockClear();
    report((events) => events.onEnd(by === 'lost' ? { by, closeCode: 1006 } : { by }));
    expect(track.stop).toHaveBeenCalledOnce();
    expect(heard).toContain('user: Wir bauen eine Halle');
  });

  test.each(['user', 'agent', 'lost'] as const)(
    'Stays off after an end by %s in the middle of a question that is read out',
    async (by) => {
      const reading = Promise.withResolvers<void>();
      const { call, report } = hear();
      const spoken = withBrowserVoice(call, { read: () => reading.promise, silence: () => undefined });
      const { events, heard } = listener();
      spoken.subscribe(events);
      report(agentSays('Hallo'));
      if (by === 'user') spoken.end();
      else report((told) => told.onEnd(by === 'lost' ? { by, closeCode: 1006 } : { by }));
      FakeRecognition.latest = undefined;
      reading.resolve();
      await vi.waitFor(() => expect(heard).toContain('speaking false'));
      expect(FakeRecognition.latest).toBeUndefined();
    },
  );

  test('Reports a recognition that stops', () => {
    const { heard } = hear();
    FakeRecognition.latest?.listeners.error?.({ error: 'network' });
    expect(heard).toContain('listening false');
  });
});

describe('Dead line', () => {
  test('Is detected after 20 s of silence, or 6 s while the browser is offline', () => {
    const dead = vi.fn();
    const page = new EventTarget() as Window;
    const watch = watchLine(page, dead);
    vi.advanceTimersByTime(60_000);
    expect(dead).not.toHaveBeenCalled();
    watch.noteMessage();
    vi.advanceTimersByTime(19_999);
    watch.noteMessage();
    vi.advanceTimersByTime(10_000);
    page.dispatchEvent(new Event('offline'));
    vi.advanceTimersByTime(5_999);
    expect(dead).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(dead).toHaveBeenCalledOnce();
  });

  test('Is not reported after the end', () => {
    const dead = vi.fn();
    const watch = watchLine(new EventTarget() as Window, dead);
    watch.noteMessage();
    watch.stop();
    vi.advanceTimersByTime(60_000);
    expect(dead).not.toHaveBeenCalled();
  });
});
