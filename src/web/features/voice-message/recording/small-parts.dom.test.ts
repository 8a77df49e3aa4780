import { afterEach, describe, expect, test, vi } from 'vitest';
import { chooseFormat, readExtension } from './state.ts';
import { FakeLocks } from '#tests/support/web/fake-browser.ts';
import { lockLiveness } from './chunk-store.ts';
import { startStopwatch } from './recorder-deps.ts';
import { classifyMicrophoneError } from '#web/speech/microphone-error.ts';
import { listInputs } from '#web/speech/inputs.ts';
import { measureLevel, openLevelMeter } from '#web/speech/level.ts';
import { ERROR_TEXTS, getMessage, RECORDING_TEXTS } from './texts.ts';
import { keepAwake } from '#web/speech/wake-lock.ts';

test('The time does not run in a pause (§2.6)', () => {
  let now = 0;
  const watch = startStopwatch(() => now);
  now = 2_000;
  watch.pause();
  now = 9_000;
  watch.pause();
  expect(watch.seconds()).toBe(2);
  watch.resume();
  watch.resume();
  now = 9_500;
  expect(watch.seconds()).toBe(2.5);
});

describe('§9 recording formats', () => {
  test.each([
    [
      'Chromium',
      ['audio/webm;codecs=opus', 'audio/webm', 'audio/mp4'],
      { mime: 'audio/webm;codecs=opus', extension: 'webm' },
    ],
    [
      'Firefox, in whose webm no place can be sought',
      ['audio/webm;codecs=opus', 'audio/webm', 'audio/ogg;codecs=opus', 'audio/ogg'],
      { mime: 'audio/ogg;codecs=opus', extension: 'ogg' },
    ],
    ['an old Safari', ['audio/mp4'], { mime: 'audio/mp4', extension: 'mp4' }],
    ['webm without a say in the codec', ['audio/webm'], { mime: 'audio/webm', extension: 'webm' }],
    ['only the last one', ['audio/wav'], { mime: 'audio/wav', extension: 'wav' }],
    ['none', ['video/quicktime'], undefined],
  ])('%s', (_name, supported, expected) => {
    expect(chooseFormat((mime) => supported.includes(mime))).toEqual(expected);
  });

  test('are asked for in the order of §9', () => {
    const asked: string[] = [];
    chooseFormat((mime) => {
      asked.push(mime);
      return false;
    });
    const order = asked
      .map((mime) => readExtension(mime))
      .filter((extension, index, all) => all.indexOf(extension) === index);
    expect(order).toEqual(['webm', 'ogg', 'mp4', 'mp3', 'mpeg', 'wav']);
  });

  test.each([
    ['audio/webm;codecs=opus', 'webm'],
    ['video/mp4', 'mp4'],
    ['audio/x-wav', 'wav'],
    ['audio/x-matroska;codecs=opus', undefined],
    ['', undefined],
  ])('what the browser calls %s is %s', (mime, extension) => {
    expect(readExtension(mime)).toBe(extension);
  });
});

test.each([
  ['NotAllowedError', 'permission'],
  ['SecurityError', 'permission'],
  ['NotFoundError', 'no-microphone'],
  ['OverconstrainedError', 'no-microphone'],
  ['NotReadableError', 'microphone'],
  ['AbortError', 'microphone'],
  ['NotSupportedError', 'unsupported'],
])('%s of the browser is %s (§8)', (name, code) => {
  expect(classifyMicrophoneError(new DOMException('', name))).toBe(code);
});

describe('§8 texts', () => {
  test('are the specified ones, to the letter', () => {
    expect(ERROR_TEXTS.permission).toBe('Mikrofon-Zugriff wurde verweigert');
    expect(ERROR_TEXTS['audio-init']).toBe('Problem mit der Audioinitialiserung. Laden Sie die Seite neu.');
    expect(ERROR_TEXTS.unsupported).toMatch(/Chrome, Firefox oder Edge/);
    expect(getMessage({ type: 'initialising' }).title).toBe('Audioinitialisierung läuft noch...');
    expect(getMessage({ type: 'started' })).toEqual({ title: 'Aufnahme gestartet', destructive: false });
    expect(getMessage({ type: 'stopped', automatic: false })).toEqual({
      title: 'Aufnahme beendet',
      destructive: false,
    });
    expect(getMessage({ type: 'error', code: 'permission', kept: false })).toEqual({
      title: 'Fehler',
      description: 'Mikrofon-Zugriff wurde verweigert',
      destructive: true,
    });
    expect(RECORDING_TEXTS.noRecording).toMatchObject({
      title: 'Keine Aufnahme vorhanden',
      description: 'Bitte nehmen Sie zuerst eine Sprachnachricht auf.',
    });
    expect(RECORDING_TEXTS.noRecordingTest.title).toBe('Keine Aufnahme');
  });

  test('every error has its own', () => {
    const texts = Object.values(ERROR_TEXTS);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('an end at 300 s says why', () => {
    expect(getMessage({ type: 'stopped', automatic: true }).description).toContain('5 Minuten');
  });

  test('a kept recording is not called lost', () => {
    expect(getMessage({ type: 'error', code: 'recording', kept: true }).description).toContain('erhalten geblieben');
  });
});

describe('The level', () => {
  test.each([
    [0, 0],
    [0.000_5, 0],
    [1, 1],
  ])('amplitude %s is level %s', (amplitude, level) => {
    expect(measureLevel(new Float32Array(64).fill(amplitude))).toBe(level);
  });

  test('speech lies clearly between, and louder is more', () => {
    const [quiet, loud] = [0.02, 0.2].map((amplitude) => measureLevel(new Float32Array(64).fill(amplitude)));
    expect(quiet).toBeGreaterThan(0.3);
    expect(loud).toBeGreaterThan(quiet ?? 1);
    expect(loud).toBeLessThan(0.9);
  });

  test('without AudioContext, or with a broken one, it stays 0', () => {
    class Broken extends EventTarget {
      constructor() {
        super();
        throw new Error('no audio hardware');
      }
    }
    const stream = {} as MediaStream;
    expect(openLevelMeter(stream, undefined).read()).toBe(0);
    expect(openLevelMeter(stream, Broken as unknown as typeof AudioContext).read()).toBe(0);
  });
});

test('Inputs: only microphones that may be named', async () => {
  const device = (kind: string, deviceId: string, label: string): MediaDeviceInfo =>
    ({ kind, deviceId, label }) as MediaDeviceInfo;
  const devices = {
    enumerateDevices: async () => [
      device('audioinput', 'a', 'Headset'),
      device('audioinput', '', ''),
      device('audiooutput', 'b', 'Lautsprecher'),
    ],
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  expect(await listInputs(devices)).toEqual([{ id: 'a', label: 'Headset' }]);
  expect(await listInputs(undefined)).toEqual([]);
  expect(await listInputs({ ...devices, enumerateDevices: () => Promise.reject(new Error('no')) })).toEqual([]);
});

describe('§2.5 the phone stays awake while recording', () => {
  afterEach(() => vi.restoreAllMocks());

  test('asks again when the page comes back, and lets go at the end', async () => {
    const release = vi.fn(async () => undefined);
    const request = vi.fn(async () => ({ release }));
    const stop = keepAwake({ request }, document);
    document.dispatchEvent(new Event('visibilitychange'));
    await Promise.resolve();
    expect(request).toHaveBeenCalledTimes(2);
    await vi.waitFor(() => {
      stop();
      expect(release).toHaveBeenCalled();
    });
    document.dispatchEvent(new Event('visibilitychange'));
    expect(request).toHaveBeenCalledTimes(2);
  });

  test('lets go of a lock that comes after the end', async () => {
    const release = vi.fn(async () => undefined);
    const { promise, resolve } = Promise.withResolvers<{ release: () => Promise<void> }>();
    const stop = keepAwake({ request: () => promise }, document);
    stop();
    resolve({ release });
    await vi.waitFor(() => expect(release).toHaveBeenCalledOnce());
  });

  test('a refusal or a browser without it is no matter', () => {
    keepAwake({ request: () => Promise.reject(new Error('battery')) }, document)();
    keepAwake(undefined, document)();
  });
});

test('Marks a recording as in use for every tab until it is released (§3)', async () => {
  const locks = new FakeLocks().manager;
  const here = lockLiveness(locks);
  const there = lockLiveness(locks);
  const release = here.hold('1');
  expect(await there.held()).toEqual(new Set(['1']));
  release();
  await vi.waitFor(async () => expect(await there.held()).toEqual(new Set()));
  const without = lockLiveness(undefined);
  without.hold('2');
  expect(await without.held()).toEqual(new Set(['2']));
});
