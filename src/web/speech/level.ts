export type LevelMeter = Readonly<{
  /** The level now, 0 (silence) to 1 (full scale). */
  read: () => number;
  close: () => void;
}>;

export const SILENT_METER: LevelMeter = { read: () => 0, close: () => undefined };

const WINDOW = 1_024;
const FLOOR_DB = -60;

/**
 * Watches a microphone through an AnalyserNode. Where the browser cannot, the level stays 0: a recording needs no
 * meter.
 */
export function openLevelMeter(stream: MediaStream, Context: typeof AudioContext | undefined): LevelMeter {
  if (Context === undefined) return SILENT_METER;
  try {
    const context = new Context();
    const analyser = context.createAnalyser();
    analyser.fftSize = WINDOW;
    context.createMediaStreamSource(stream).connect(analyser);
    // Safari leaves a context suspended that was not made inside the click itself.
    context.resume().catch(() => undefined);
    const samples = new Float32Array(WINDOW);
    return {
      read: () => {
        analyser.getFloatTimeDomainData(samples);
        return measureLevel(samples);
      },
      close: () => void context.close().catch(() => undefined),
    };
  } catch {
    return SILENT_METER;
  }
}

/** Root mean square on a decibel scale; −60 dB and below is 0. */
export function measureLevel(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / Math.max(1, samples.length));
  return Math.min(1, Math.max(0, 1 - decibels / FLOOR_DB));
}
