import type { InputDevices } from '#web/speech/inputs.ts';
import { type LevelMeter, openLevelMeter } from '#web/speech/level.ts';
import { keepAwake } from '#web/speech/wake-lock.ts';
import { type ChunkStore, createChunkStore, lockLiveness } from './chunk-store.ts';
import { RecorderError, type RecorderConstructor } from './microphone.ts';
import { chooseFormat, type RecordingFormat } from './state.ts';

/** Everything the recorder needs of the browser. What a browser lacks is undefined. */
export type RecorderDeps = Readonly<{
  media: (Pick<MediaDevices, 'getUserMedia'> & InputDevices) | undefined;
  MediaRecorderClass: RecorderConstructor | undefined;
  store: ChunkStore;
  clock: Clock;
  openMeter: (stream: MediaStream) => LevelMeter;
  keepAwake: () => () => void;
}>;

let made: RecorderDeps | undefined;

/** Made once: every screen works on the same store. */
export function browserRecorderDeps(): RecorderDeps {
  made ??= {
    // Absent on pages that are neither https nor localhost, whatever the types say.
    media: findProperty(navigator, 'mediaDevices'),
    MediaRecorderClass: findProperty(globalThis, 'MediaRecorder'),
    store: createChunkStore({ liveness: lockLiveness(findProperty(navigator, 'locks')) }),
    clock: BROWSER_CLOCK,
    openMeter: (stream) => openLevelMeter(stream, findProperty(globalThis, 'AudioContext')),
    keepAwake: () => keepAwake(findProperty(navigator, 'wakeLock'), document),
  };
  return made;
}

function findProperty<T extends object, K extends keyof T>(owner: T, name: K): T[K] | undefined {
  return name in owner ? owner[name] : undefined;
}

/** Time as the recorder sees it; a test brings its own. */
type Clock = Readonly<{
  /** ms, steady. */
  now: () => number;
  /** Calls again and again until the returned function is called. */
  every: (ms: number, call: () => void) => () => void;
}>;

const BROWSER_CLOCK: Clock = {
  now: () => performance.now(),
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    return () => clearInterval(timer);
  },
};

export type Stopwatch = Readonly<{ seconds: () => number; pause: () => void; resume: () => void }>;

/** Counts from now on, pauses left out. */
export function startStopwatch(now: () => number): Stopwatch {
  let counted = 0;
  let since: number | undefined = now();
  const elapsed = (): number => counted + (since === undefined ? 0 : now() - since);
  return {
    seconds: () => elapsed() / 1_000,
    pause: () => {
      counted = elapsed();
      since = undefined;
    },
    resume: () => void (since ??= now()),
  };
}

type Equipment = Readonly<{
  media: NonNullable<RecorderDeps['media']>;
  MediaRecorderClass: NonNullable<RecorderDeps['MediaRecorderClass']>;
  format: RecordingFormat;
}>;

/** Throws RecorderError 'unsupported' where this browser cannot record. */
export function getEquipment({ media, MediaRecorderClass }: RecorderDeps): Equipment {
  if (media === undefined || MediaRecorderClass === undefined) throw new RecorderError('unsupported');
  const format = chooseFormat((mime) => MediaRecorderClass.isTypeSupported(mime));
  if (format === undefined) throw new RecorderError('unsupported');
  return { media, MediaRecorderClass, format };
}
