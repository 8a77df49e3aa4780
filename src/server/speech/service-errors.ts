import { z } from 'zod';
import { SpeechError, type SpeechErrorCode } from './errors.ts';

const WORDS_MAX = 300;
const WAIT_MAX_S = 86_400;

/** The error bodies of OpenAI and Azure, LocalAI, whisper.cpp, speaches and vLLM (speech.md). */
const BodySchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform((body) => body.error.message),
  z.object({ error: z.string() }).transform((body) => body.error),
  z.object({ message: z.string() }).transform((body) => body.message),
  z.object({ detail: z.string() }).transform((body) => body.detail),
  z.object({ detail: z.array(z.object({ msg: z.string() })).min(1) }).transform(sayAll),
]);

function sayAll({ detail }: { detail: { msg: string }[] }): string {
  return detail.map((part) => part.msg).join('; ');
}

/** What the service says for people to read; undefined for HTML, for nothing, and for anything unknown. */
export function wordsOf(body: string): string | undefined {
  const parsed = BodySchema.safeParse(parse(body));
  if (!parsed.success) return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what has to go
  const words = parsed.data.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return words === '' ? undefined : words.slice(0, WORDS_MAX);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** RFC 9110 §10.2.3: seconds, or a date. Answers whole seconds from now, a day at most. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.min(WAIT_MAX_S, Math.max(0, Math.ceil(seconds)));
}

export type ServiceFailure = Readonly<{ status: number; body: string; retryAfter: string | undefined }>;

/** `key`: what was sent as the key; it never comes back to a caller, whatever the service quotes. */
export function serviceError(failure: ServiceFailure, key: string | undefined, nowMs = Date.now()): SpeechError {
  const code = codeOf(failure.status, key);
  const aboutKey = code === 'invalid_api_key' || code === 'missing_api_key';
  const said = aboutKey ? undefined : wordsOf(failure.body);
  return new SpeechError(code, {
    words: key === undefined ? said : said?.replaceAll(key, '…'),
    retryAfterS: retryAfterSeconds(failure.retryAfter, nowMs),
    serviceStatus: failure.status,
  });
}

function codeOf(status: number, key: string | undefined): SpeechErrorCode {
  if (status === 401 || status === 403) return key === undefined ? 'missing_api_key' : 'invalid_api_key';
  if (status === 408 || status === 504) return 'service_timeout';
  if (status === 413) return 'file_too_large';
  if (status === 415) return 'unsupported_audio';
  if (status === 429) return 'service_rate_limited';
  // A wrong address is the operator's mistake, not the recording's.
  if (status >= 400 && status < 500 && status !== 404 && status !== 405) return 'service_rejected';
  return 'service_error';
}
