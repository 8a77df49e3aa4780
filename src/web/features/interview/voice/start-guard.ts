/** The places in the browser through which a start opens microphones and sockets. */
export type StartPage = {
  media: Pick<MediaDevices, 'getUserMedia'> | undefined;
  sockets: { WebSocket: typeof WebSocket };
  /** Where worklets are loaded; undefined where the browser has none. */
  worklets: Pick<AudioWorklet, 'addModule'> | undefined;
};

export type GuardOptions<T> = Readonly<{
  page: StartPage;
  start: () => Promise<T>;
  /** Gives up: everything that the start has opened is closed, and so is whatever it still opens. */
  signal: AbortSignal;
  /** What to do with a start that succeeds after all, when nobody waits for it any more. */
  undo: (late: T) => void;
  /** Where a worklet really is. The client names an address of its own for its resampler. */
  workletAddress?: (url: string) => string;
}>;

export type Guarded<T> = Readonly<{
  value: T;
  /** Lets go, in this very moment, of every microphone opened since the start: for each end of the conversation. */
  release: () => void;
}>;

let installed: (() => void) | undefined;

/**
 * The official client (docs/interview.md) knows neither a time-out nor an abort, and where a start fails it may leave a
 * microphone open. While it starts, sockets are opened through this guard; microphones until the end, for one can be
 * changed in between. Rejects with the signal's reason or the start's own error, when everything is closed.
 */
export async function guardStart<T>({
  page,
  start,
  signal,
  undo,
  workletAddress,
}: GuardOptions<T>): Promise<Guarded<T>> {
  signal.throwIfAborted();
  // A start that was given up may not have noticed yet; it must not stand in the way of this one.
  installed?.();
  const opened = { streams: [] as MediaStream[], sockets: [] as WebSocket[] };
  const over = new AbortController();
  const microphones = [watchMicrophones(page, opened.streams, over.signal)];
  const line = [watchSockets(page, opened.sockets, over.signal), redirectWorklets(page, workletAddress)];
  const uninstall = (): void => {
    if (installed === uninstall) installed = undefined;
    for (const putBack of [...line.splice(0), ...microphones.splice(0)]) putBack();
  };
  installed = uninstall;
  const letGo = (reason: unknown): void => {
    over.abort(reason);
    opened.streams.forEach(stopTracks);
  };
  const release = (): void => {
    letGo(new DOMException('the conversation is over', 'AbortError'));
    uninstall();
  };
  const running = start();
  try {
    const value = await Promise.race([running, rejectionOf(signal)]);
    for (const putBack of line.splice(0)) putBack();
    return { value, release };
  } catch (error) {
    letGo(signal.reason);
    for (const socket of opened.sockets) socket.close();
    // Until the start has noticed it, it gets neither a microphone nor a socket.
    running.then(undo, () => undefined).finally(release);
    throw error;
  }
}

function watchMicrophones({ media }: StartPage, streams: MediaStream[], over: AbortSignal): () => void {
  if (media === undefined) return () => undefined;
  return replace(media, 'getUserMedia', (original) => async (constraints) => {
    over.throwIfAborted();
    const asked = original.call(media, constraints);
    // Somebody may still press 'allow' long after it was given up.
    const late = asked.then((stream) => {
      streams.push(stream);
      if (over.aborted) stopTracks(stream);
      return stream;
    });
    return Promise.race([late, rejectionOf(over)]);
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

/** Puts something else in a place and returns how to put back what was there. */
function replace<O extends object, K extends keyof O>(owner: O, name: K, make: (original: O[K]) => O[K]): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const value = make(owner[name]);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = (): void => reject(signal.reason);
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
