import type { Conversation as ConversationApi } from '@elevenlabs/client';
import concatAddress from '@elevenlabs/client/worklets/audioConcatProcessor.js?url&no-inline';
import rawAddress from '@elevenlabs/client/worklets/rawAudioProcessor.js?url&no-inline';
import resamplerAddress from './resampler.worklet.js?url&no-inline';

/** Self-hosted, so that the content security policy stays 'self' (docs/interview.md). */
export const WORKLET_PATHS = { rawAudioProcessor: rawAddress, audioConcatProcessor: concatAddress } as const;

type Client = Readonly<{ Conversation: typeof ConversationApi }>;

let loading: Promise<Client> | undefined;

/**
 * The official client, loaded once and before the click: on iOS it unlocks the sound with the next touch. A failed load
 * may be repeated.
 */
export function loadClient(): Promise<Client> {
  loading ??= import('@elevenlabs/client').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** The one worklet that the client would load from a foreign server, wherever it names it. */
export function workletAddress(url: string): string {
  return /libsamplerate/i.test(url) ? resamplerAddress : url;
}
