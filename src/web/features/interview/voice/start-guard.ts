import { watchMuted } from '#web/speech/inputs.ts';
import { raceAbort } from './call.ts';

/** The browser objects through which a start opens microphones and sockets. */
export type StartPage = {
  media: Pick<MediaDevices, 'getUserMedia'> | undefined;
  sockets: { WebSocket: typeof WebSocket };
  /** Undefined where the browser has no worklets. */
  worklets: Pick<AudioWorklet, 'addModule'> | undefined;
};

export type GuardOptions<T> = Readonly<{
  page: StartPage;
  start: () => Promise<T>;
  /** Closes everything that the start has opened or still opens. */
  signal: AbortSignal;
  /** Undoes a start that succeeds after it was aborted. */
  undo: (late: T) => void;
  /** Called when a microphone goes away while it is in use, not when it is released. */
  onMicrophoneLost?: () => void;
  onMicrophoneMuted?: (muted: boolean) => void;
  /** Maps the client's address of a worklet to ours. */
  resolveWorklet?: (url: string) => string;
}>;

export type GuardedStart<T> = Readonly<{
  value: T;
  /** Closes at once every microphone opened since the start. */
  release: () => void;
}>;

let installed: (() => void) | undefined;

/**
 * The official client (docs/interview.md) has neither a time-out nor an abort, and a failed start may leave a
 * microphone open. Watches sockets during the start, and microphones until the end, because one can be changed in
 * between. Rejects with the signal's reason or the start's own error, after closing everything.
 */
export async function guardStart<T>(options: GuardOptions<T>): Promise<GuardedStart<T>> {
  const { page, start, signal, undo } = options;
  signal.throwIfAborted();
  // An aborted start that has not noticed yet must not block this one.
  installed?.();
  const opened = { streams: [] as MediaStream[], sockets: [] as WebSocket[] };
  const over = new AbortController();
  const microphones = [watchMicrophones(options, opened.streams, over.signal)];
  const line = [watchSockets(page, opened.sockets, over.signal), redirectWorklets(page, options.resolveWorklet)];
  const uninstall = (): void => {
    if (installed === uninstall) installed = undefined;
    for (const restore of [...line.splice(0), ...microphones.splice(0)]) restore();
  };
  installed = uninstall;
  const closeMicrophones = (reason: unknown): void => {
    over.abort(reason);
    opened.streams.forEach(stopTracks);
  };
  const release = (): void => {
    closeMicrophones(new DOMException('conversation ended', 'AbortError'));
    uninstall();
  };
  const running = start();
  try {
    const value = await raceAbort(running, signal);
    for (const restore of line.splice(0)) restore();
    return { value, release };
  } catch (error) {
    closeMicrophones(signal.reason);
    for (const socket of opened.sockets) socket.close();
    // Until the start notices the abort it gets neither a microphone nor a socket.
    running.then(undo, () => undefined).finally(release);
    throw error;
  }
}

type Watched = Pick<GuardOptions<unknown>, 'page' | 'onMicrophoneLost' | 'onMicrophoneMuted'>;

function watchMicrophones(watched: Watched, streams: MediaStream[], over: AbortSignal): () => void {
  const { media } = watched.page;
  if (media === undefined) return () => undefined;
  return replace(media, 'getUserMedia', (original) => async (constraints) => {
    over.throwIfAborted();
    const asked = original.call(media, constraints);
    // The person may still allow the microphone long after the abort.
    const late = asked.then((stream) => {
      streams.push(stream);
      for (const track of stream.getTracks()) {
        track.addEventListener('ended', () => watched.onMicrophoneLost?.());
        watchMuted(track, (muted) => watched.onMicrophoneMuted?.(muted));
      }
      if (over.aborted) stopTracks(stream);
      return stream;
    });
    return raceAbort(late, over);
  });
}

function watchSockets({ sockets: owner }: StartPage, sockets: WebSocket[], over: AbortSignal): () => void {
  return replace(
    owner,
    'WebSocket',
    (Original) =>
      new Proxy(Original, {
        construct: (target, parameters, newTarget) => {
          over.throwIfAborted();
          const socket: WebSocket = Reflect.construct(target, parameters, newTarget);
          sockets.push(socket);
          return socket;
        },
      }),
  );
}

function redirectWorklets({ worklets }: StartPage, address: ((url: string) => string) | undefined): () => void {
  if (worklets === undefined || address === undefined) return () => undefined;
  return replace(
    worklets,
    'addModule',
    (original) =>
      function addModule(this: AudioWorklet, url, options) {
        return original.call(this, address(String(url)), options);
      },
  );
}

/** Replaces a property and returns a function that restores it. */
function replace<O extends object, K extends keyof O>(owner: O, name: K, make: (original: O[K]) => O[K]): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const value = make(owner[name]);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
