import type { Conversation as ConversationApi } from '@elevenlabs/client';
import concatAddress from '@elevenlabs/client/worklets/audioConcatProcessor.js?url&no-inline';
import rawAddress from '@elevenlabs/client/worklets/rawAudioProcessor.js?url&no-inline';
import resamplerAddress from './resampler.worklet.js?url&no-inline';

/** Our own files, as the content security policy requires (docs/interview.md). */
export const WORKLET_PATHS = { rawAudioProcessor: rawAddress, audioConcatProcessor: concatAddress } as const;

type Client = Readonly<{ Conversation: typeof ConversationApi }>;

let loading: Promise<Client> | undefined;

/**
 * Loads the official client once, before the click: on iOS it unlocks the sound with the next touch. A failed load may
 * be repeated.
 */
export function loadClient(): Promise<Client> {
  loading ??= import('@elevenlabs/client').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Replaces the one worklet that the client loads from a foreign server. */
export function resolveWorklet(url: string): string {
  return /libsamplerate/i.test(url) ? resamplerAddress : url;
}
