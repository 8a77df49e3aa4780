import type { CheckFindings } from '#contract/setup-parts.ts';
import type { Env } from '../env.ts';
import { BYTES_PER_SAMPLE } from './audio/pcm.ts';
import { fetchSignedUrl } from './engines/hosted-connection.ts';
import { synthesize } from './services.ts';
import { readVoiceSettings } from './settings.ts';

const WORDS = 'Guten Tag. Ich bin bereit.';

/**
 * Returns the check of the configured voice: the hosted agent issues the address of a conversation, or the speech
 * service says a few words. undefined where neither is configured. The check throws ServiceError, ZodError, or what
 * fetch throws.
 */
export function createVoiceCheck(env: Env): ((signal: AbortSignal) => Promise<CheckFindings>) | undefined {
  const { hosted, speech } = readVoiceSettings(env);
  const [agent] = Object.values(hosted?.agents ?? {});
  if (hosted !== undefined && agent !== undefined) {
    return async (signal) => {
      await fetchSignedUrl(hosted, agent, signal);
      return {};
    };
  }
  if (speech === undefined) return undefined;
  return async (signal) => {
    let bytes = 0;
    for await (const piece of synthesize(speech, WORDS, signal)) bytes += piece.byteLength;
    return { audioSeconds: bytes / BYTES_PER_SAMPLE / speech.sampleRate };
  };
}
