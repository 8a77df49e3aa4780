import type { BrowserRecognition, RecognitionConstructor, RecognitionResultEvent } from './browser-recognition.ts';
import { SnapshotStore } from './snapshot-store.ts';

export type RecognitionSnapshot = Readonly<{
  /**
   * `listening`: runs, or is about to run again. `unavailable`: this browser cannot, or not on the device
   * (and its maker's cloud is not allowed); what was understood before is kept.
   */
  status: 'off' | 'listening' | 'stopping' | 'unavailable';
  /** Final text so far. */
  final: string;
  /** Text that may still change. */
  interim: string;
}>;

export type RecognitionOptions = Readonly<{
  Recognition: RecognitionConstructor | undefined;
  /** Whether the operator allows recognition off the device (docs/speech.md). */
  cloud: boolean;
  language?: string;
  /** Runs `call` once after `ms`; the returned function cancels it. */
  after?: (ms: number, call: () => void) => () => void;
}>;

/** After these another try would fail as well. */
const FATAL = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported', 'network', 'audio-capture']);
const RESTART_MS = 250;
/** Runs in a row without a word, not counting silence. */
const EMPTY_RUNS_MAX = 5;
/** How long the last words may take after the recording has ended. */
const LAST_WORDS_MS = 2_000;

const OFF: RecognitionSnapshot = { status: 'off', final: '', interim: '' };

/** Runs the browser's recognition beside a recording and restarts it after every pause, which ends it. */
export class LiveRecognition extends SnapshotStore<RecognitionSnapshot> {
  readonly #options: RecognitionOptions;
  readonly #after: NonNullable<RecognitionOptions['after']>;
  #current: BrowserRecognition | undefined;
  #listening = new AbortController();
  #track: MediaStreamTrack | undefined;
  /** Text of earlier runs, also what was not final at their end; each run numbers its results from zero. */
  #earlier = '';
  #results: RecognizedText = EMPTY_RESULTS;
  #emptyRuns = 0;
  #silent = false;
  #waiting: (() => void)[] = [];
  #cancelTimer = (): void => undefined;

  constructor(options: RecognitionOptions) {
    super(OFF);
    this.#options = options;
    this.#after = options.after ?? afterTimeout;
  }

  /** Continues the text so far, also of a run that waits for its last words; `clear` removes it. */
  start(track?: MediaStreamTrack): void {
    if (this.snapshot().status === 'listening') return;
    this.#track = track;
    this.#finish('off');
    this.#emptyRuns = 0;
    this.update({ status: 'listening' });
    this.#run();
  }

  /** Resolves with the final text once the last words have come, after 2 s at most. Never rejects. */
  async stop(): Promise<string> {
    if (this.snapshot().status === 'listening') {
      this.update({ status: 'stopping' });
      this.#cancelTimer();
      if (this.#current === undefined) this.#finish('off');
      else {
        this.#cancelTimer = this.#after(LAST_WORDS_MS, () => this.#finish('off'));
        attempt(this.#current.stop.bind(this.#current));
      }
    }
    if (this.snapshot().status === 'stopping') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.snapshot().final;
  }

  clear(): void {
    this.#drop();
    this.#earlier = '';
    this.#results = EMPTY_RESULTS;
    this.#finish('off');
    this.update({ final: '', interim: '' });
  }

  #run(): void {
    const { Recognition, cloud, language = 'de-DE' } = this.#options;
    const recognition = Recognition === undefined ? undefined : new Recognition();
    if (recognition === undefined || (!cloud && !('processLocally' in recognition))) return this.#finish('unavailable');
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
    this.#emptyRuns = 0;
    this.#results = readResults(event);
    this.#show();
  }

  #onError(error: string): void {
    if (error === 'no-speech') this.#silent = true;
    if (FATAL.has(error)) this.#finish('unavailable');
  }

  #onEnd(): void {
    this.#detach();
    this.#earlier = joinText([this.#earlier, this.#results.final, this.#results.interim]);
    this.#results = EMPTY_RESULTS;
    this.#show();
    if (this.snapshot().status !== 'listening') return this.#finish('off');
    this.#emptyRuns += this.#silent ? 0 : 1;
    if (this.#emptyRuns >= EMPTY_RUNS_MAX) return this.#finish('unavailable');
    this.#cancelTimer = this.#after(RESTART_MS, () => this.#run());
  }

  #show(): void {
    this.update({ final: joinText([this.#earlier, this.#results.final]), interim: this.#results.interim });
  }

  #finish(status: 'off' | 'unavailable'): void {
    this.#drop();
    this.#earlier = joinText([this.#earlier, this.#results.final, this.#results.interim]);
    this.#results = EMPTY_RESULTS;
    if (this.snapshot().status !== 'unavailable' || status === 'unavailable') this.update({ status });
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

type RecognizedText = Readonly<{ final: string; interim: string }>;

const EMPTY_RESULTS: RecognizedText = { final: '', interim: '' };

/** Reads the text of one run; each event carries all results of the run. */
function readResults(event: RecognitionResultEvent): RecognizedText {
  const results = Array.from(event.results);
  const text = (isFinal: boolean): string =>
    joinText(results.filter((result) => result.isFinal === isFinal).map((result) => result[0]?.transcript ?? ''));
  return { final: text(true), interim: text(false) };
}

export function joinText(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}
