import type { BrowserRecognition, RecognitionConstructor, RecognitionResultEvent } from './browser-recognition.ts';
import { heardIn, joinText, NOTHING_HEARD, type Heard } from './text.ts';

/**
 * `listening`: runs, or is about to run again. `unavailable`: this browser cannot, or not on the device
 * (and its maker's cloud is not allowed); what was understood before is kept.
 */
export type RecognitionStatus = 'off' | 'listening' | 'stopping' | 'unavailable';

export type RecognitionSnapshot = Readonly<{
  status: RecognitionStatus;
  /** Settled text so far. */
  final: string;
  /** What may still change. */
  interim: string;
}>;

export type RecognitionOptions = Readonly<{
  Recognition: RecognitionConstructor | undefined;
  /** speech.md: off the device only where the operator allows it. */
  cloud: boolean;
  language?: string;
  /** Calls once, later; returns how to call it off. */
  after?: (ms: number, call: () => void) => () => void;
}>;

/** These mean that another try would end the same way. */
const FATAL = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported', 'network', 'audio-capture']);
const RESTART_MS = 250;
/** Runs in a row that ended without a word being understood although nobody was just silent. */
const FRUITLESS_MAX = 5;
/** How long the last words may take after the recording has ended. */
const LAST_WORDS_MS = 2_000;

const OFF: RecognitionSnapshot = { status: 'off', final: '', interim: '' };

/** Browser recognition that runs along with a recording; browsers end it after every pause, so it is begun again. */
export class LiveRecognition {
  readonly #options: RecognitionOptions;
  readonly #after: NonNullable<RecognitionOptions['after']>;
  readonly #subscribers = new Set<() => void>();
  #snapshot = OFF;
  #current: BrowserRecognition | undefined;
  #listening = new AbortController();
  #track: MediaStreamTrack | undefined;
  /** Of earlier runs; a new run starts counting its results from zero. */
  #earlier = '';
  #heard: Heard = NOTHING_HEARD;
  #fruitless = 0;
  #silent = false;
  #waiting: (() => void)[] = [];
  #cancelTimer = (): void => undefined;

  constructor(options: RecognitionOptions) {
    this.#options = options;
    this.#after = options.after ?? afterTimeout;
  }

  readonly subscribe = (call: () => void): (() => void) => {
    this.#subscribers.add(call);
    return () => void this.#subscribers.delete(call);
  };

  readonly snapshot = (): RecognitionSnapshot => this.#snapshot;

  /** Goes on after what was understood so far; `clear` starts afresh. */
  start(track?: MediaStreamTrack): void {
    if (this.#snapshot.status === 'listening') return;
    this.#track = track;
    this.#drop();
    this.#fruitless = 0;
    this.#update({ status: 'listening' });
    this.#run();
  }

  /** The settled text, once the last words have come (2 s at most). Never rejects. */
  async stop(): Promise<string> {
    if (this.#snapshot.status === 'listening') {
      this.#update({ status: 'stopping' });
      this.#cancelTimer();
      if (this.#current === undefined) this.#settle('off');
      else {
        this.#cancelTimer = this.#after(LAST_WORDS_MS, () => this.#settle('off'));
        attempt(this.#current.stop.bind(this.#current));
      }
    }
    if (this.#snapshot.status === 'stopping') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#snapshot.final;
  }

  clear(): void {
    this.#drop();
    this.#earlier = '';
    this.#heard = NOTHING_HEARD;
    this.#settle('off');
    this.#update({ final: '', interim: '' });
  }

  #run(): void {
    const { Recognition, cloud, language = 'de-DE' } = this.#options;
    const recognition = Recognition === undefined ? undefined : new Recognition();
    if (recognition === undefined || (!cloud && !('processLocally' in recognition))) return this.#settle('unavailable');
    if ('processLocally' in recognition) recognition.processLocally = !cloud;
    recognition.lang = language;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.maxAlternatives = 1;
    this.#silent = false;
    this.#current = recognition;
    const { signal } = (this.#listening = new AbortController());
    recognition.addEventListener('result', (event) => this.#onResult(event), { signal });
    recognition.addEventListener('error', ({ error }) => this.#onError(error), { signal });
    recognition.addEventListener('end', () => this.#onEnd(), { signal });
    if (!attempt(() => recognition.start(this.#track))) this.#onEnd();
  }

  #onResult(event: RecognitionResultEvent): void {
    this.#fruitless = 0;
    this.#heard = heardIn(event);
    this.#show();
  }

  #onError(error: string): void {
    if (error === 'no-speech') this.#silent = true;
    if (FATAL.has(error)) this.#settle('unavailable');
  }

  #onEnd(): void {
    this.#detach();
    this.#earlier = joinText([this.#earlier, this.#heard.final]);
    this.#heard = NOTHING_HEARD;
    this.#show();
    if (this.#snapshot.status !== 'listening') return this.#settle('off');
    this.#fruitless += this.#silent ? 0 : 1;
    if (this.#fruitless >= FRUITLESS_MAX) return this.#settle('unavailable');
    this.#cancelTimer = this.#after(RESTART_MS, () => this.#run());
  }

  #show(): void {
    this.#update({ final: joinText([this.#earlier, this.#heard.final]), interim: this.#heard.interim });
  }

  #settle(status: 'off' | 'unavailable'): void {
    this.#drop();
    this.#earlier = joinText([this.#earlier, this.#heard.final]);
    this.#heard = NOTHING_HEARD;
    if (this.#snapshot.status !== 'unavailable' || status === 'unavailable') this.#update({ status });
    this.#show();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #drop(): void {
    this.#cancelTimer();
    this.#cancelTimer = () => undefined;
    const recognition = this.#current;
    this.#detach();
    if (recognition !== undefined) attempt(recognition.abort.bind(recognition));
  }

  #detach(): void {
    this.#listening.abort();
    this.#current = undefined;
  }

  #update(change: Partial<RecognitionSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const call of this.#subscribers) call();
  }
}

/** Browsers throw when a recogniser is started or stopped in a state they do not expect. */
function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function afterTimeout(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
