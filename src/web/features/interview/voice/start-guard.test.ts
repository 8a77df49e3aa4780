import { beforeEach, describe, expect, test, vi } from 'vitest';
import { guardStart, type StartPage } from './start-guard.ts';

class FakeTrack extends EventTarget {
  readyState = 'live';
  static startsMuted = false;
  muted = FakeTrack.startsMuted;
  stop(): void {
    this.readyState = 'ended';
  }
}

class FakeSocket {
  static made: FakeSocket[] = [];
  closed = false;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
    FakeSocket.made.push(this);
  }
  close(): void {
    this.closed = true;
  }
}

let tracks: FakeTrack[];
let page: StartPage;
let ask: () => Promise<void>;
let media: StartPage['media'];
beforeEach(() => {
  tracks = [];
  FakeSocket.made = [];
  ask = () => Promise.resolve();
  media = {
    getUserMedia: async () => {
      await ask();
      const track = new FakeTrack();
      tracks.push(track);
      return { getTracks: () => [track] } as unknown as MediaStream;
    },
  };
  page = { media, sockets: { WebSocket: FakeSocket as unknown as typeof WebSocket }, worklets: undefined };
});

/** As the client starts: permission first, then the line, then the microphone itself. */
async function clientStart(after: () => Promise<unknown> = () => Promise.resolve()): Promise<string> {
  await page.media?.getUserMedia({ audio: true });
  const socket = new page.sockets.WebSocket('wss://localhost/');
  await after();
  await page.media?.getUserMedia({ audio: true });
  return socket.url;
}

const never = (): Promise<never> => new Promise(() => undefined);
const states = (): string[] => tracks.map((track) => track.readyState);
const undo = vi.fn();

function guarded(start: () => Promise<string>, signal = new AbortController().signal) {
  return guardStart({ page, start, signal, undo });
}

describe('Start guard (§4)', () => {
  test('Keeps everything open after a successful start and restores the page', async () => {
    const before = { ...page.sockets };
    const original = media?.getUserMedia;
    const { value, release } = await guarded(() => clientStart());
    expect(value).toBe('wss://localhost/');
    expect(states()).toEqual(['live', 'live']);
    expect(FakeSocket.made.map((socket) => socket.closed)).toEqual([false]);
    expect(page.sockets.WebSocket).toBe(before.WebSocket);
    release();
    expect(states()).toEqual(['ended', 'ended']);
    expect(page.media?.getUserMedia).toBe(original);
  });

  test('Releases changed and late microphones as well', async () => {
    const { release } = await guarded(() => clientStart());
    await page.media?.getUserMedia({ audio: { deviceId: 'headset' } });
    const allow = Promise.withResolvers<void>();
    ask = () => allow.promise;
    const late = page.media?.getUserMedia({ audio: true });
    release();
    expect(states()).toEqual(['ended', 'ended', 'ended']);
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    allow.resolve();
    await vi.waitFor(() => expect(states()).toEqual(['ended', 'ended', 'ended', 'ended']));
  });

  test('Tells of a microphone that goes away, also of one chosen in between, and not of one that is released', async () => {
    const onMicrophoneLost = vi.fn();
    const { signal } = new AbortController();
    const { release } = await guardStart({ page, start: () => clientStart(), signal, undo, onMicrophoneLost });
    tracks[1]?.dispatchEvent(new Event('ended'));
    expect(onMicrophoneLost).toHaveBeenCalledTimes(1);
    await page.media?.getUserMedia({ audio: true });
    tracks[2]?.dispatchEvent(new Event('ended'));
    expect(onMicrophoneLost).toHaveBeenCalledTimes(2);
    release();
    expect(onMicrophoneLost).toHaveBeenCalledTimes(2);
  });

  test('Tells of a microphone that the device mutes, as during a phone call, also of one that begins so', async () => {
    const onMicrophoneMuted = vi.fn();
    const { signal } = new AbortController();
    await guardStart({ page, start: () => clientStart(), signal, undo, onMicrophoneMuted });
    for (const muted of [true, false]) {
      const track = tracks[1] ?? expect.fail();
      track.muted = muted;
      track.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
      expect(onMicrophoneMuted).toHaveBeenLastCalledWith(muted);
    }
    for (const muted of [true, false]) {
      FakeTrack.startsMuted = muted;
      await page.media?.getUserMedia({ audio: true });
      expect(onMicrophoneMuted).toHaveBeenLastCalledWith(muted);
    }
  });

  test('Closes every track and socket of a hanging upgrade at once', async () => {
    const abort = new AbortController();
    const starting = guarded(() => clientStart(never), abort.signal);
    await vi.waitFor(() => expect(FakeSocket.made).toHaveLength(1));
    expect(states()).toEqual(['live']);
    abort.abort(new DOMException('15 s', 'TimeoutError'));
    await expect(starting).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(states()).toEqual(['ended']);
    expect(FakeSocket.made[0]?.closed).toBe(true);
  });

  test('Closes the microphone when a worklet does not load', async () => {
    const failing = guarded(() => clientStart().then(() => Promise.reject(new Error('worklet'))));
    await expect(failing).rejects.toThrow('worklet');
    expect(states()).toEqual(['ended', 'ended']);
    expect(FakeSocket.made[0]?.closed).toBe(true);
  });

  test('Opens nothing after a late permission', async () => {
    const allow = Promise.withResolvers<void>();
    ask = () => allow.promise;
    const abort = new AbortController();
    const starting = guarded(() => clientStart(), abort.signal);
    abort.abort(new Error('left'));
    await expect(starting).rejects.toThrow('left');
    allow.resolve();
    await vi.waitFor(() => expect(states()).toEqual(['ended']));
    expect(FakeSocket.made).toEqual([]);
  });

  test('Refuses requests of an aborted start', async () => {
    const later = Promise.withResolvers<void>();
    const abort = new AbortController();
    const client = Promise.withResolvers<unknown>();
    const starting = guarded(() => {
      const start = clientStart(() => later.promise);
      start.catch(client.resolve);
      return start;
    }, abort.signal);
    await vi.waitFor(() => expect(FakeSocket.made).toHaveLength(1));
    abort.abort(new Error('left'));
    await expect(starting).rejects.toThrow('left');
    later.resolve();
    expect(await client.promise).toMatchObject({ message: 'left' });
    expect(states()).toEqual(['ended']);
  });

  test('Undoes a start that succeeds too late', async () => {
    undo.mockClear();
    const late = Promise.withResolvers<string>();
    const abort = new AbortController();
    const starting = guarded(() => late.promise, abort.signal);
    abort.abort(new Error('left'));
    await expect(starting).rejects.toThrow('left');
    late.resolve('conversation');
    await vi.waitFor(() => expect(undo).toHaveBeenCalledWith('conversation'));
  });

  test('Does not block the next start by a hanging one', async () => {
    const original = media?.getUserMedia;
    const abort = new AbortController();
    const starting = guarded(never, abort.signal);
    abort.abort(new Error('left'));
    await expect(starting).rejects.toThrow('left');
    const next = await guarded(() => clientStart());
    expect(next.value).toBe('wss://localhost/');
    expect(states()).toEqual(['live', 'live']);
    next.release();
    expect(page.media?.getUserMedia).toBe(original);
  });

  test('Requests nothing when aborted before the start', async () => {
    const start = vi.fn(() => clientStart());
    await expect(guarded(start, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(start).not.toHaveBeenCalled();
  });

  test('Reports a denied microphone unchanged', async () => {
    ask = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    await expect(guarded(() => clientStart())).rejects.toMatchObject({ name: 'NotAllowedError' });
    expect(FakeSocket.made).toEqual([]);
  });

  test('Loads the one foreign worklet from our server', async () => {
    const loaded: string[] = [];
    const worklets = { addModule: async (url: string | URL) => void loaded.push(String(url)) };
    const withWorklets = { ...page, worklets };
    await guardStart({
      page: withWorklets,
      signal: new AbortController().signal,
      undo,
      resolveWorklet: (url) => url.replace('https://cdn.example', '/assets'),
      start: () => worklets.addModule('https://cdn.example/libsamplerate.js'),
    });
    expect(loaded).toEqual(['/assets/libsamplerate.js']);
  });
});
