import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TRANSCRIPTION_LANGUAGE } from '#contract/limits.ts';
import type { Allowance } from './allowance.ts';
import { audioTypeOf, SNIFF_BYTES } from './audio-type.ts';
import { startDeadline } from './deadline.ts';
import type { Spoken, TranscriptionEngine } from './engine.ts';
import { SpeechError } from './errors.ts';
import { peek } from './pieces.ts';
import { readForm, type FormFields } from './read-form.ts';

export type UploadRules = Readonly<{
  maxBytes: number;
  /** The file and the form around it. */
  bodyMaxBytes: number;
  /** ms the body may stand still. */
  timeoutMs: number;
}>;

export type Upload = Readonly<{
  request: FastifyRequest;
  reply: FastifyReply;
  engine: TranscriptionEngine;
  allowance: Allowance;
  callers: readonly string[];
  rules: UploadRules;
}>;

type Format = 'json' | 'text' | 'verbose_json';

export type Transcription = Spoken & Readonly<{ format: Format }>;

/** One recording from the caller's connection to the engine's, held nowhere in between. Throws SpeechError. */
export async function transcribeUpload(upload: Upload): Promise<Transcription> {
  const { request, allowance, callers, rules } = upload;
  const declared = declaredBytes(request.headers, rules);
  const ownKey = ownKeyOf(request.headers);
  const reservation = allowance.reserve(callers, declared ?? rules.maxBytes, ownKey === undefined);
  const meter = { bytes: 0 };
  const startedAt = performance.now();
  try {
    const result = await relay(upload, ownKey, meter);
    request.log.info({ bytes: meter.bytes, ms: Math.round(performance.now() - startedAt) }, 'transcribed');
    return result;
  } finally {
    reservation.settle(meter.bytes);
  }
}

async function relay(upload: Upload, ownKey: string | undefined, meter: { bytes: number }): Promise<Transcription> {
  const { request, engine, rules } = upload;
  const arrival = startDeadline(rules.timeoutMs);
  arrival.signal.addEventListener('abort', () => request.raw.unpipe());
  const inTime = <T>(work: Promise<T>): Promise<T> => Promise.race([work, late(arrival.signal)]);
  try {
    const form = await inTime(readForm(request.raw, request.headers, rules.maxBytes));
    const { head, all } = await inTime(peek(form.file, SNIFF_BYTES));
    if (head.byteLength === 0) throw new SpeechError('empty_file');
    const type = await audioTypeOf(form.filename, head);
    const fields = inTime(form.fields).finally(() => arrival.clear());
    fields.catch(() => undefined);
    const spoken = await engine.transcribe({
      audio: counted(all, meter, arrival.extend),
      type,
      language: async () => checked(await fields).language,
      ownKey,
      signal: AbortSignal.any([gone(upload), arrival.signal]),
    });
    return { ...spoken, format: checked(await fields).format };
  } catch (error) {
    throw arrival.signal.aborted ? new SpeechError('upload_timeout', { cause: error }) : error;
  } finally {
    arrival.clear();
  }
}

/** Aborts when the caller has gone without waiting for the answer. */
function gone({ reply }: Upload): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function late(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new SpeechError('upload_timeout')));
  });
}

/** Length of the body where it is known. Throws SpeechError before a byte of a body is read that is too large or no form. */
function declaredBytes(headers: IncomingHttpHeaders, rules: UploadRules): number | undefined {
  if (!/^multipart\/form-data\s*;/i.test(headers['content-type'] ?? ''))
    throw new SpeechError('unsupported_content_type');
  const length = headers['content-length'];
  if (length === undefined) return undefined;
  if (Number(length) > rules.bodyMaxBytes) throw new SpeechError('file_too_large');
  return Math.min(Number(length), rules.maxBytes);
}

/** D12. Throws SpeechError. */
function ownKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-transcription-key'];
  if (key === undefined || key === '') return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(key)) throw new SpeechError('invalid_key');
  return key;
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  meter: { bytes: number },
  onPiece: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    meter.bytes += piece.byteLength;
    onPiece();
    yield piece;
  }
}

/** Throws SpeechError. A field that is missing has its default; `model` is the operator's choice, whatever a caller says. */
function checked(fields: FormFields): { language: string; format: Format } {
  const language = fields.get('language') ?? TRANSCRIPTION_LANGUAGE;
  const format = fields.get('response_format') ?? 'json';
  if (!/^[a-z]{2,3}$/.test(language)) throw new SpeechError('invalid_language');
  if (format !== 'json' && format !== 'text' && format !== 'verbose_json') {
    throw new SpeechError('invalid_response_format');
  }
  return { language, format };
}
