import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { abortOnDisconnect } from '#http/disconnect.ts';
import { TRANSCRIPTION_LANGUAGE } from '#contract/limits.ts';
import type { AnswerStream } from './answer-stream.ts';
import { detectAudioType, SNIFF_BYTES } from './audio-type.ts';
import { startDeadline, watchPieces } from './deadline.ts';
import type { TranscriptionEngine, TranscriptionResult } from './engine.ts';
import { SpeechError } from './errors.ts';
import { readForm, type FormFields } from './multipart.ts';
import type { TranscriptionQuota } from './access.ts';

export type UploadRules = Readonly<{
  maxBytes: number;
  /** The file and the form around it. */
  bodyMaxBytes: number;
  /** ms without a piece of the body. */
  timeoutMs: number;
}>;

export type Upload = Readonly<{
  request: FastifyRequest;
  reply: FastifyReply;
  engine: TranscriptionEngine;
  quota: TranscriptionQuota;
  callers: readonly string[];
  rules: UploadRules;
  stream: AnswerStream;
}>;

/** Models read no more than that. */
const PROMPT_CHARACTERS = 1_000;

const FORMATS = ['json', 'text', 'verbose_json'] as const;

export type Transcription = TranscriptionResult & Readonly<{ format: (typeof FORMATS)[number]; language: string }>;

/** Streams one recording from the caller to the engine without storing it. Throws SpeechError. */
export async function transcribeUpload(upload: Upload): Promise<Transcription> {
  const { request, quota, callers, rules } = upload;
  const declared = readDeclaredBytes(request.headers, rules);
  const ownKey = readOwnKey(request.headers);
  const reservation = quota.reserve(callers, declared ?? rules.maxBytes, ownKey === undefined);
  const meter: Meter = { bytes: 0 };
  const startedAt = performance.now();
  try {
    const result = await relayRecording(upload, ownKey, meter);
    request.log.info({ bytes: meter.bytes, ms: Math.round(performance.now() - startedAt) }, 'transcribed');
    return result;
  } finally {
    reservation.commit(meter.bytes);
  }
}

type Meter = { bytes: number };

async function relayRecording(upload: Upload, ownKey: string | undefined, meter: Meter): Promise<Transcription> {
  const { request, engine, rules, stream, callers } = upload;
  const arrival = startDeadline(rules.timeoutMs);
  arrival.signal.addEventListener('abort', () => request.raw.unpipe());
  const inTime = <T>(work: Promise<T>): Promise<T> => Promise.race([work, rejectOnAbort(arrival.signal)]);
  try {
    const form = await inTime(readForm(request.raw, request.headers, rules.maxBytes));
    const { head, all } = await inTime(peek(form.file, SNIFF_BYTES));
    if (head.byteLength === 0) throw new SpeechError('empty_file');
    const type = await detectAudioType(form.filename, head);
    const fields = inTime(form.fields)
      .finally(() => arrival.clear())
      .then(parseFields);
    fields.then(({ stream: wanted }) => stream.decide(wanted)).catch(() => undefined);
    const result = await engine.transcribe({
      audio: watchPieces(all, (piece) => {
        meter.bytes += piece.byteLength;
        arrival.extend();
      }),
      type,
      language: async () => (await fields).language,
      prompt: async () => (await fields).prompt,
      ownKey,
      signal: AbortSignal.any([abortOnDisconnect(upload.reply), arrival.signal]),
      caller: callers[0],
      priority: 'recording',
      streams: async () => (await fields).stream !== undefined,
      ...stream.callbacks,
    });
    const { format, language } = await fields;
    return { ...result, format, language };
  } catch (error) {
    throw arrival.signal.aborted ? new SpeechError('upload_timeout', { cause: error }) : error;
  } finally {
    arrival.clear();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new SpeechError('upload_timeout')));
  });
}

/** Reads the length of the body where it is declared. Throws SpeechError for a body that is too large or no form. */
function readDeclaredBytes(headers: IncomingHttpHeaders, rules: UploadRules): number | undefined {
  if (!/^multipart\/form-data\s*;/i.test(headers['content-type'] ?? ''))
    throw new SpeechError('unsupported_content_type');
  const length = headers['content-length'];
  if (length === undefined) return undefined;
  if (Number(length) > rules.bodyMaxBytes) throw new SpeechError('file_too_large');
  return Math.min(Number(length), rules.maxBytes);
}

/** Reads the caller's own key (D12). Throws SpeechError. */
function readOwnKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-transcription-key'];
  if (key === undefined || key === '') return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(key)) throw new SpeechError('invalid_key');
  return key;
}

/**
 * Fills in defaults and ignores `model`, which the operator chooses. `prompt`: names and terms that are likely to be
 * spoken. `stream` is undefined where the caller wants one answer. Throws SpeechError.
 */
function parseFields(fields: FormFields) {
  const language = fields.get('language') ?? TRANSCRIPTION_LANGUAGE;
  const wanted = fields.get('response_format') ?? 'json';
  const format = FORMATS.find((known) => known === wanted);
  if (!/^[a-z]{2,3}$/.test(language)) throw new SpeechError('invalid_language');
  if (format === undefined) throw new SpeechError('invalid_response_format');
  const progress = parseFlag(fields.get('progress'));
  const prompt = fields.get('prompt')?.trim().slice(0, PROMPT_CHARACTERS);
  return { language, prompt, format, stream: parseFlag(fields.get('stream')) ? { progress } : undefined };
}

function parseFlag(value = 'false'): boolean {
  if (!/^(?:true|false)$/i.test(value)) throw new SpeechError('invalid_stream');
  return value.toLowerCase() === 'true';
}

/** Reads the first `bytes` of a stream, or all of a shorter one; `all` still starts at the beginning. */
export async function peek(source: AsyncIterable<Uint8Array>, bytes: number) {
  const iterator = source[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size < bytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    pieces.push(next.value);
    size += next.value.byteLength;
  }
  const head = Buffer.concat(pieces);
  return { head, all: concat(head, iterator) };
}

async function* concat(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.byteLength > 0) yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
