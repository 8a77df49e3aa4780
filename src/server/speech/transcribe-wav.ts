import { TRANSCRIPTION_LANGUAGE } from '#contract/limits.ts';
import type { TranscriptionEngine, TranscriptionRequest, TranscriptionResult } from './engine.ts';

/** Transcribes a WAV file of this server's own. Throws SpeechError. */
export function transcribeWav(
  engine: TranscriptionEngine,
  wav: Uint8Array,
  options: Pick<TranscriptionRequest, 'signal' | 'caller' | 'priority' | 'prompt'>,
): Promise<TranscriptionResult> {
  return engine.transcribe({
    audio: sendOnce(wav),
    type: 'wav',
    language: async () => TRANSCRIPTION_LANGUAGE,
    ownKey: undefined,
    ...options,
  });
}

async function* sendOnce(audio: Uint8Array): AsyncGenerator<Uint8Array> {
  yield audio;
}
