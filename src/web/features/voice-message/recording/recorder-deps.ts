import { createChunkStore, type ChunkStore } from './chunk-store.ts';
import { BROWSER_CLOCK, type Clock } from './clock.ts';
import type { InputDevices } from '#web/speech/inputs.ts';
import { openLevelMeter, type LevelMeter } from '#web/speech/level.ts';
import { lockLiveness } from './liveness.ts';
import type { RecorderConstructor } from './media-session.ts';
import { keepAwake } from '#web/speech/wake-lock.ts';

/** Everything the recorder needs of the browser. What a browser lacks is undefined. */
export type RecorderDeps = Readonly<{
  media: (Pick<MediaDevices, 'getUserMedia'> & InputDevices) | undefined;
  Recorder: RecorderConstructor | undefined;
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
    media: present(navigator, 'mediaDevices'),
    Recorder: present(globalThis, 'MediaRecorder'),
    store: createChunkStore({ liveness: lockLiveness(present(navigator, 'locks')) }),
    clock: BROWSER_CLOCK,
    openMeter: (stream) => openLevelMeter(stream, present(globalThis, 'AudioContext')),
    keepAwake: () => keepAwake(present(navigator, 'wakeLock'), document),
  };
  return made;
}

function present<T extends object, K extends keyof T>(owner: T, name: K): T[K] | undefined {
  return name in owner ? owner[name] : undefined;
}
