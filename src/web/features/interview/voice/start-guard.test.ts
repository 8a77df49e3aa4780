import { beforeEach, describe, expect, test, vi } from 'vitest';
import { guardStart, type StartPage } from './start-guard.ts';

class FakeTrack {
  readyState = 'live';
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

describe('What the official client does not end by itself (§4)', () => {
  test('a good start keeps everything open, and the page is as it was', async () => {
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

  test('a microphone changed in the middle is let go of with the others, and so is one that is allowed after the end', async () => {
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

  test('a hanging upgrade: given up, every track and socket is closed at once', async () => {
    const abort = new AbortController();
    const starting = guarded(() => clientStart(never), abort.signal);
    await vi.waitFor(() => expect(FakeSocket.made).toHaveLength(1));
    expect(states()).toEqual(['live']);
    abort.abort(new DOMException('15 s', 'TimeoutError'));
    await expect(starting).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(states()).toEqual(['ended']);
    expect(FakeSocket.made[0]?.closed).toBe(true);
  });

  test('a worklet that does not load: the microphone that the client forgets is closed', async () => {
    const failing = guarded(() => clientStart().then(() => Promise.reject(new Error('worklet'))));
    await expect(failing).rejects.toThrow('worklet');
    expect(states()).toEqual(['ended', 'ended']);
    expect(FakeSocket.made[0]?.closed).toBe(true);
  });

  test('a permission that comes after it was given up opens nothing', async () => {
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

  test('what the start still wants after it was given up is refused', async () => {
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

  test('a start that succeeds too late is undone', async () => {
    undo.mockClear();
    const late = Promise.withResolvers<string>();
    const abort = new AbortController();
    const starting = guarded(() => late.promise, abort.signal);
    abort.abort(new Error('left'));
    await expect(starting).rejects.toThrow('left');
    late.resolve('conversation');
    await vi.waitFor(() => expect(undo).toHaveBeenCalledWith('conversation'));
  });

  test('a start that hangs for ever does not stand in the way of the next', async () => {
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

  test('given up before it began: nothing is asked for', async () => {
    const start = vi.fn(() => clientStart());
    await expect(guarded(start, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(start).not.toHaveBeenCalled();
  });

  test('a denied microphone is told as it is', async () => {
    ask = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    await expect(guarded(() => clientStart())).rejects.toMatchObject({ name: 'NotAllowedError' });
    expect(FakeSocket.made).toEqual([]);
  });

  test('the one worklet from a foreign server comes from ours', async () => {
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
