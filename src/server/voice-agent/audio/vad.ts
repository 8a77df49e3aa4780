import { loadSilero, startSileroState } from './silero.ts';

/** Detects speech in any number of conversations with one model (Silero v5, 16 kHz). */
export type VoiceActivity = Readonly<{ open: () => VoiceStream }>;

export type VoiceStream = Readonly<{
  /** The probability of speech in the next frame of 512 samples. */
  judge: (frame: Float32Array) => number;
}>;

export const VAD_SAMPLE_RATE = 16_000;
export const VAD_FRAME = 512;
export const VAD_FRAME_MS = (VAD_FRAME / VAD_SAMPLE_RATE) * 1000;
/** The model also reads the end of the frame before, so that it sees sounds across two frames whole. */
const CONTEXT = 64;

/** Loads the model. Throws where this platform cannot run it. */
export async function openVoiceActivity(): Promise<VoiceActivity> {
  const silero = await loadSilero();
  return {
    open: () => {
      const state = startSileroState();
      const samples = new Float32Array(CONTEXT + VAD_FRAME);
      return {
        judge: (frame) => {
          samples.copyWithin(0, VAD_FRAME);
          samples.set(frame, CONTEXT);
          return silero.judge(samples, state);
        },
      };
    },
  };
}
