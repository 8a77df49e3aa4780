import { z } from 'zod';
import { TRANSCRIPTION_LANGUAGE } from '#contract/limits.ts';
import { LOCAL_TURN_S } from '#contract/setup.ts';
import { limitBytes, readJson } from '#http/limited-answer.ts';
import {
  getAuthorization,
  keepSpokenWords,
  rejectPages,
  requestService,
  ServiceError,
  SERVICE_LIMITS,
} from '../service-request.ts';
import { VAD_SAMPLE_RATE } from './audio/vad.ts';
import { BYTES_PER_SAMPLE, encodeWav, isOtherFormat } from './audio/pcm.ts';
import type { TtsService, TranscriptionService } from './settings.ts';

/** A person who waits longer for a turn takes the line for dead. */
const TURN_TIMEOUT_MS = 20_000;
/** A model on this machine may have to end a piece of a recording first. */
const LOCAL_TIMEOUT_MS = LOCAL_TURN_S * 1_000;
const TTS_TIMEOUT_MS = 20_000;

const TranscriptionSchema = z.object({ text: z.string().max(SERVICE_LIMITS.turnCharacters) });

/** Turns 16 kHz PCM of one conversation into words. */
export type TurnTranscriber = Readonly<{
  transcribe: (pcm: Buffer, signal?: AbortSignal) => Promise<string>;
  /** Whether a request in the first pause may be cancelled when the user goes on speaking (decision 0153). */
  startsEarly: boolean;
}>;

/** A model on this machine, made in `app.ts`; it may be installed or removed while the server runs. */
export type LocalTranscription = Readonly<{
  isInstalled: () => Promise<boolean>;
  /** Room in the machine's queue for a segment that waits. `grow` throws where there is none. */
  hold: () => Readonly<{ grow: (bytes: number) => void; release: () => void }>;
  transcribe: (wav: Uint8Array, options: LocalTurn & Readonly<{ signal: AbortSignal }>) => Promise<string>;
}>;

/** `prompt`: names and terms that are likely to be spoken. */
export type LocalTurn = Readonly<{ conversation: string; prompt: string }>;

/** The model on this machine is too slow for a turn: once more would take as long. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

export function createServiceTranscriber(service: TranscriptionService): TurnTranscriber {
  return { transcribe: (pcm, signal) => transcribe(service, pcm, signal), startsEarly: true };
}

/** Cancelling a computation costs as much as its end (decision 0234), so a turn is sent once, when it is over. */
export function createLocalTranscriber(local: LocalTranscription, turn: LocalTurn): TurnTranscriber {
  let last = Promise.resolve('');
  const send = async (pcm: Buffer, given?: AbortSignal): Promise<string> => {
    given?.throwIfAborted();
    const limit = AbortSignal.timeout(LOCAL_TIMEOUT_MS);
    const signal = AbortSignal.any([limit, ...(given === undefined ? [] : [given])]);
    const text = await local
      .transcribe(encodeWav(pcm, VAD_SAMPLE_RATE), { ...turn, signal })
      .catch((cause: unknown) => Promise.reject(limit.aborted ? new TooSlowError('turn', { cause }) : cause));
    return text.trim().slice(0, SERVICE_LIMITS.turnCharacters);
  };
  return {
    // One after the other: the machine's queue takes few jobs of a caller, and a slow one has many sentences waiting.
    transcribe: (pcm, signal) => {
      const held = local.hold();
      try {
        held.grow(pcm.byteLength);
      } catch (error) {
        return Promise.reject(error);
      }
      last = last.catch(() => '').finally(held.release);
      return (last = last.then(() => send(pcm, signal)));
    },
    startsEarly: false,
  };
}

/** Turns 16 kHz PCM into words. Throws ServiceError, AnswerTooLongError, or what fetch throws. */
export async function transcribe(service: TranscriptionService, pcm: Buffer, signal?: AbortSignal): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([encodeWav(pcm, VAD_SAMPLE_RATE)], { type: 'audio/wav' }), 'turn.wav');
  form.set('model', service.model);
  form.set('language', TRANSCRIPTION_LANGUAGE);
  form.set('response_format', 'json');
  const response = await requestService('transcription', service.url, {
    method: 'POST',
    headers: getAuthorization(service.key, service.header),
    body: form,
    signal: AbortSignal.any([AbortSignal.timeout(TURN_TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
  });
  return keepSpokenWords(TranscriptionSchema.parse(await readJson(response.body, SERVICE_LIMITS.turnBytes)).text);
}

/**
 * Turns words into PCM in the service's sample rate, as it arrives. Throws ServiceError, AnswerTooLongError, or what
 * fetch throws.
 */
export async function* synthesize(service: TtsService, text: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const response = await requestService('speech', service.url, {
    method: 'POST',
    headers: { ...getAuthorization(service.key), 'content-type': 'application/json' },
    body: JSON.stringify({ model: service.model, voice: service.voice, input: text, response_format: 'pcm' }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TTS_TIMEOUT_MS)]),
  });
  await rejectPages(response, 'speech', /^(?:text\/|application\/json)/i);
  const maxBytes = (SERVICE_LIMITS.sentenceAudioMs / 1_000) * service.sampleRate * BYTES_PER_SAMPLE;
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const part of limitBytes(response.body, maxBytes)) {
    const bytes = Buffer.concat([rest, part]);
    // Some services send MP3 or WAV whatever they are asked for, which would be played as noise.
    if (isFirst && isOtherFormat(bytes)) throw new ServiceError('speech', 0);
    isFirst = false;
    // A network packet may end in the middle of a sample.
    const whole = bytes.length - (bytes.length % 2);
    rest = bytes.subarray(whole);
    if (whole > 0) yield bytes.subarray(0, whole);
  }
}

/** Describes an error for the log, without messages that may repeat what a person said. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.name === 'ServiceError' ? error.message : error.name;
}
