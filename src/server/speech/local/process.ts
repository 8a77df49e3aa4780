import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SpokenSegment } from '#contract/spoken.ts';
import { SpeechError, type SpeechErrorCode } from '../errors.ts';
import type { ModelKind } from '../models/catalogue.ts';

type Command<Kind extends EngineCommand['kind']> = Omit<Extract<EngineCommand, { kind: Kind }>, 'kind'>;

/** The process ended in the middle of a request. */
export class EngineExitError extends Error {
  /** null where it ended by itself or where this server ended it. */
  readonly signal: NodeJS.Signals | null;
  constructor(signal: NodeJS.Signals | null) {
    super('the engine process ended');
    this.name = 'EngineExitError';
    this.signal = signal;
  }
}

/** The kernel ends a process that takes too much memory; `otherwise`: what any other end of it means. */
export function explainExit(error: unknown, otherwise: 'engine_crashed' | 'model_unusable'): unknown {
  if (!(error instanceof EngineExitError)) return error;
  return new SpeechError(error.signal === 'SIGKILL' ? 'engine_out_of_memory' : otherwise, { cause: error });
}

const ENTRY = fileURLToPath(new URL('child.ts', import.meta.url));

type Pending = Readonly<{ resolve: (value: OpenedJob | PieceResult | null) => void; reject: (error: Error) => void }>;

/** The process that holds the model. A request throws the SpeechError of its answer, or EngineExitError. */
export function startEngineProcess() {
  const child = fork(ENTRY, [], {
    serialization: 'advanced',
    execArgv: [],
    // What `npm start` sets keeps the server small; the engine has threads that allocate at once. A model that ends it
    // would call a debugger, where one is installed, before its memory is given back.
    env: { ...process.env, MALLOC_ARENA_MAX: undefined, GGML_NO_BACKTRACE: '1' },
    // The engine writes its log to stderr, and a prompt may stand in it.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const requests = createRequests(child);
  let isStopping = false;
  const exited = new Promise<void>((resolve) => {
    const end = (signal: NodeJS.Signals | null): void => {
      requests.rejectAll(new EngineExitError(isStopping ? null : signal));
      resolve();
    };
    child.once('exit', (_code, signal) => end(signal));
    child.once('error', () => end(null));
  });
  const { send, hasEnded } = requests;
  return {
    pid: child.pid,
    load: (command: Command<'load'>): Promise<void> => send<null>({ kind: 'load', ...command }).then(() => undefined),
    open: (command: Command<'open'>): Promise<OpenedJob> => send({ kind: 'open', ...command }),
    run: (command: Command<'run'>): Promise<PieceResult> => send({ kind: 'run', ...command }),
    close: (job: number): void => void send({ kind: 'close', job }).catch(() => undefined),
    memoryBytes: (): number => (hasEnded() ? 0 : requests.memoryBytes()),
    hasExited: hasEnded,
    /** Ends it at once; resolves when its memory is given back. */
    kill: (): Promise<void> => {
      isStopping = true;
      child.kill('SIGKILL');
      return exited;
    },
  };
}

export type EngineProcess = ReturnType<typeof startEngineProcess>;

/** The requests that wait for an answer of the process. */
function createRequests(child: ChildProcess) {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let memoryBytes = 0;
  let ended: EngineExitError | undefined;
  child.on('message', (answer: EngineAnswer) => {
    memoryBytes = answer.memoryBytes;
    const waiting = pending.get(answer.id);
    pending.delete(answer.id);
    if ('error' in answer) waiting?.reject(new SpeechError(answer.error));
    else waiting?.resolve(answer.value);
  });
  return {
    send: <T>(command: EngineCommand): Promise<T> =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        lastId += 1;
        pending.set(lastId, { resolve: (value) => resolve(value as T), reject });
        const request: EngineRequest = { id: lastId, command };
        // A channel that is closed ends with the process, and that rejects the request.
        child.send(request, () => undefined);
      }),
    rejectAll: (error: EngineExitError): void => {
      ended = error;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
    hasEnded: (): boolean => ended !== undefined,
    /** Of the process, as its last answer gave it. */
    memoryBytes: (): number => memoryBytes,
  };
}

/** What the server asks of the process that holds the model; each has one answer. */
export type EngineCommand =
  | Readonly<{ kind: 'load'; model: ModelKind; path: string; threads: number }>
  /** Decodes a recording, cuts it from `fromS` on and keeps its samples for `run`. */
  | Readonly<{ kind: 'open'; job: number; file: Uint8Array<ArrayBuffer>; fromS: number }>
  /** Transcribes one of the pieces that `open` cut. */
  | Readonly<{ kind: 'run'; job: number; piece: number; language: string; prompt: string }>
  | Readonly<{ kind: 'close'; job: number }>;

export type EngineRequest = Readonly<{ id: number; command: EngineCommand }>;

/** `ends`: where each piece of the recording ends, in seconds. */
export type OpenedJob = Readonly<{ ends: readonly number[] }>;
/** Times count from the beginning of the recording. */
export type PieceResult = Readonly<{ segments: readonly SpokenSegment[] }>;

export type EngineAnswer = Readonly<{
  id: number;
  /** Main memory of the process. */
  memoryBytes: number;
}> &
  (Readonly<{ value: OpenedJob | PieceResult | null }> | Readonly<{ error: SpeechErrorCode }>);
