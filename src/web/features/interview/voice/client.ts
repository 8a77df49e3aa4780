import concatAddress from '@elevenlabs/client/worklets/audioConcatProcessor.js?url&no-inline';
import rawAddress from '@elevenlabs/client/worklets/rawAudioProcessor.js?url&no-inline';
import { laterPart } from '#web/backend/later-part.ts';
import resamplerAddress from './resampler.worklet.js?url&no-inline';

/** Our own files, as the content security policy requires (docs/interview.md). */
export const WORKLET_PATHS = { rawAudioProcessor: rawAddress, audioConcatProcessor: concatAddress } as const;

/** Loads the official client once, before the click: on iOS it unlocks the sound with the next touch. */
export const loadClient = laterPart('voice-client', () => import('@elevenlabs/client'));

/** Replaces the one worklet that the client loads from a foreign server. */
export function resolveWorklet(url: string): string {
  return /libsamplerate/i.test(url) ? resamplerAddress : url;
}
