import { createChunkStore } from '#web/features/voice-message/recording/chunk-store.ts';
import type { RecorderDeps } from '#web/features/voice-message/recording/recorder-deps.ts';

/** For tests: the part of MediaRecorder that is used; the test says when something comes. */
export class FakeRecorder extends EventTarget {
  static last: FakeRecorder;
  static isTypeSupported = (mime: string): boolean => mime.startsWith('audio/webm');
  state: 'inactive' | 'recording' | 'paused' = 'inactive';
  mimeType: string;
  timeslice = 0;

  constructor(_stream: MediaStream, options: MediaRecorderOptions = {}) {
    super();
    this.mimeType = options.mimeType ?? '';
    FakeRecorder.last = this;
  }
  start(timeslice: number): void {
    this.state = 'recording';
    this.timeslice = timeslice;
  }
  stop(): void {
    this.state = 'inactive';
  }
  pause(): void {
    this.state = 'paused';
  }
  resume(): void {
    this.state = 'recording';
  }
  chunk(text: string): void {
    this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob([text]) }));
  }
  /** As browsers do: the last chunk, then the end. */
  end(last = ''): void {
    this.chunk(last);
    this.dispatchEvent(new Event('stop'));
  }
}

class FakeTrack extends EventTarget {
  stops = 0;
  stop(): void {
    this.stops += 1;
  }
}

type GetUserMedia = NonNullable<RecorderDeps['media']>['getUserMedia'];

/** One page: a microphone, a recorder, a clock. Pages with the same name share the device's storage. */
export class FakePage {
  readonly track = new FakeTrack();
  readonly timers = new Set<() => void>();
  readonly deps: RecorderDeps;
  now = 0;
  awake = 0;
  openMeters = 0;

  constructor(name: string, changes: Partial<RecorderDeps> = {}) {
    const held = new Set<string>();
    const untilFree = (): Promise<never> => new Promise(() => {});
    const hold = (id: string): (() => void) => {
      held.add(id);
      return () => void held.delete(id);
    };
    this.deps = {
      media: this.media(async () => this.stream),
      MediaRecorderClass: FakeRecorder as unknown as NonNullable<RecorderDeps['MediaRecorderClass']>,
      store: createChunkStore({ liveness: { hold, held: async () => held, untilFree }, name }),
      clock: { now: () => this.now, every: (_ms, call) => this.#every(call) },
      openMeter: () => {
        this.openMeters += 1;
        return { read: () => 0.5, close: () => void (this.openMeters -= 1) };
      },
      keepAwake: () => {
        this.awake += 1;
        return () => void (this.awake -= 1);
      },
      ...changes,
    };
  }

  get stream(): MediaStream {
    return { getTracks: () => [this.track] } as unknown as MediaStream;
  }

  media(getUserMedia: GetUserMedia): NonNullable<RecorderDeps['media']> {
    return {
      getUserMedia,
      enumerateDevices: async () => [],
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    };
  }

  /** Seconds go by; timers fire once. */
  pass(seconds: number): void {
    this.now += seconds * 1_000;
    for (const call of this.timers) call();
  }

  /** Whether nothing is left running: this is what 'the microphone is released' means. */
  get released(): boolean {
    return this.track.stops > 0 && this.openMeters === 0 && this.awake === 0 && this.timers.size === 0;
  }

  #every(call: () => void): () => void {
    this.timers.add(call);
    return () => void this.timers.delete(call);
  }
}

/** The part of Web Locks that is used. Pages with the same one are pages of the same browser. */
export class FakeLocks {
  /** Requests that have not got their lock yet. */
  waiting = 0;
  readonly #held = new Map<string, Promise<void>>();
  readonly manager = { request: this.#request.bind(this), query: this.#query.bind(this) } as unknown as LockManager;

  async #request(name: string, options: LockOptions | LockWork, given?: LockWork): Promise<void> {
    const { mode, signal, work } =
      typeof options === 'function' ? { work: options } : { ...options, work: given ?? (() => undefined) };
    const before = this.#held.get(name);
    if (before !== undefined) {
      this.waiting += 1;
      await Promise.race([before, untilAborted(signal)]).finally(() => (this.waiting -= 1));
    }
    const done = Promise.resolve(work());
    if (mode === 'shared') return done;
    this.#held.set(name, done);
    return done.finally(() => this.#held.delete(name));
  }

  async #query(): Promise<LockManagerSnapshot> {
    return { held: [...this.#held.keys()].map((name) => ({ name, mode: 'exclusive' })), pending: [] };
  }
}

type LockWork = () => Promise<void> | undefined;

function untilAborted(signal?: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}
