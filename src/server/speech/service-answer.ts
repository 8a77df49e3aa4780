import { z } from 'zod';
import { AnswerTooLongError, limitBytes, readServerSentData } from '#http/limited-answer.ts';
import { parseJson } from '#lib/parse-json.ts';
import { keepSpokenWords, SERVICE_LIMITS } from '../service-request.ts';
import type { TranscriptionResult } from './engine.ts';
import { SpeechError, type SpeechErrorCode } from './errors.ts';

const MESSAGE_MAX = 300;
const WAIT_MAX_S = 86_400;

/** The error bodies of OpenAI and Azure, LocalAI, whisper.cpp, speaches and vLLM (speech.md). */
const BodySchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform((body) => body.error.message),
  z.object({ error: z.string() }).transform((body) => body.error),
  z.object({ message: z.string() }).transform((body) => body.message),
  z.object({ detail: z.string() }).transform((body) => body.detail),
  z
    .object({ detail: z.array(z.object({ msg: z.string() })).min(1) })
    .transform(({ detail }) => detail.map((part) => part.msg).join('; ')),
]);

/** Reads the service's message for people; undefined for HTML, an empty body and unknown shapes. */
export function readErrorMessage(body: string): string | undefined {
  const parsed = BodySchema.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what has to go
  const message = parsed.data.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return message === '' ? undefined : message.slice(0, MESSAGE_MAX);
}

/** Reads Retry-After (RFC 9110 §10.2.3: seconds or a date) as whole seconds from now, a day at most. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.min(WAIT_MAX_S, Math.max(0, Math.ceil(seconds)));
}

type ServiceAnswer = Readonly<{ status: number; body: string; retryAfter: string | undefined }>;

/** `key` is the one that was sent; it is cut out of the service's message. */
export function toSpeechError(answer: ServiceAnswer, key: string | undefined, nowMs = Date.now()): SpeechError {
  const code = selectCode(answer.status, key);
  const aboutKey = code === 'invalid_api_key' || code === 'missing_api_key';
  const message = aboutKey ? undefined : readErrorMessage(answer.body);
  return new SpeechError(code, {
    serviceMessage: key === undefined ? message : message?.replaceAll(key, '…'),
    retryAfterS: parseRetryAfter(answer.retryAfter, nowMs),
    serviceStatus: answer.status,
  });
}

function selectCode(status: number, key: string | undefined): SpeechErrorCode {
  if (status === 401 || status === 403) return key === undefined ? 'missing_api_key' : 'invalid_api_key';
  if (status === 408 || status === 504) return 'service_timeout';
  if (status === 413) return 'file_too_large';
  if (status === 415) return 'unsupported_audio';
  if (status === 429) return 'service_rate_limited';
  // A wrong address is the operator's mistake, not the recording's.
  if (status >= 400 && status < 500 && status !== 404 && status !== 405) return 'service_rejected';
  return 'service_error';
}

/** OpenAI's events, vLLM's chunks, and the segments of earlier releases of speaches. */
const EventSchema = z.union([
  z
    .object({ type: z.literal('transcript.text.delta'), delta: z.string() })
    .transform(({ delta }) => ({ kind: 'delta' as const, text: delta })),
  z
    .object({ type: z.literal('transcript.text.done'), text: z.string() })
    .transform(({ text }) => ({ kind: 'done' as const, text })),
  z
    .object({ choices: z.tuple([z.object({ delta: z.object({ content: z.string().nullish() }) })]) })
    .transform(({ choices: [{ delta }] }) => ({ kind: 'piece' as const, text: delta.content ?? '' })),
  z
    .object({ type: z.undefined().optional(), text: z.string() })
    .transform(({ text }) => ({ kind: 'segment' as const, text })),
]);

/**
 * Reads a service's event stream and passes its pieces on. Throws SpeechError where the service reports an error,
 * breaks off before its last event, or streams nothing that is known.
 */
export async function readTranscript(
  body: AsyncIterable<Uint8Array>,
  key: string | undefined,
  onText: (delta: string) => void = () => undefined,
): Promise<TranscriptionResult> {
  let text = '';
  let last: z.output<typeof EventSchema> | undefined;
  const { transcriptionStreamBytes, lineCharacters } = SERVICE_LIMITS;
  try {
    for await (const data of readServerSentData(limitBytes(body, transcriptionStreamBytes), lineCharacters)) {
      const event = EventSchema.safeParse(parseJson(data)).data;
      if (event === undefined) {
        // Further kinds of events are of no use here.
        if (readErrorMessage(data) !== undefined)
          throw toSpeechError({ status: 500, body: data, retryAfter: undefined }, key);
        continue;
      }
      last = event;
      if (event.kind === 'done') break;
      const delta = event.kind === 'segment' ? separate(text, event.text) : event.text;
      text += delta;
      onText(delta);
    }
  } catch (cause) {
    if (cause instanceof AnswerTooLongError) throw new SpeechError('service_error', { serviceStatus: 200, cause });
    throw cause;
  }
  if (last === undefined || last.kind === 'delta') throw new SpeechError('service_error', { serviceStatus: 200 });
  return { text: keepSpokenWords(last.kind === 'done' ? last.text : text), segments: [] };
}

function separate(before: string, segment: string): string {
  return before === '' || /^\s/.test(segment) ? segment : ` ${segment}`;
}
