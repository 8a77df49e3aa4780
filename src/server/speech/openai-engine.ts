import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import { spokenSegments } from '#contract/spoken.ts';
import { parseJson } from '#lib/parse-json.ts';
import { AnswerTooLongError, readText } from '#http/limited-answer.ts';
import { getAuthorization, keepSpokenWords, resolveEndpoint, SERVICE_LIMITS } from '../service-request.ts';
import { startDeadline, watchPieces, type Deadline } from './deadline.ts';
import type { TranscriptionEngine, TranscriptionRequest, TranscriptionResult } from './engine.ts';
import { SpeechError } from './errors.ts';
import { writeForm } from './multipart.ts';
import { readTranscript, toSpeechError } from './service-answer.ts';

export type OpenAiEngineOptions = Readonly<{
  /**
   * Base (`https://api.openai.com/v1`, or a bare origin) or the whole address (`…/audio/transcriptions?api-version=…`).
   */
  url: string;
  model: string;
  /** Azure needs `api-key`. */
  authHeader: 'authorization' | 'api-key';
  key: string | undefined;
  /** `verbose_json` adds times where service and model support it. */
  format: 'json' | 'verbose_json';
  /** ms since the last piece in either direction, so a slow upload does not count. */
  timeoutMs: number;
}>;

const ROUTE = '/audio/transcriptions';

/** Some services send segments without being asked for them. */
const AnswerSchema = z.object({
  text: z.string(),
  segments: z.unknown().optional(),
  duration: z.number().nonnegative().optional().catch(undefined),
});

/** Transcribes through a service that speaks OpenAI's `POST /audio/transcriptions`, one piece of audio at a time. */
export function createOpenAiEngine(options: OpenAiEngineOptions): TranscriptionEngine {
  const endpoint = new URL(resolveEndpoint(options.url, ROUTE));
  return {
    transcribe: async (request) => {
      const deadline = startDeadline(options.timeoutMs);
      try {
        return await transcribe(endpoint, options, request, deadline);
      } finally {
        deadline.clear();
      }
    },
  };
}

async function transcribe(
  endpoint: URL,
  options: OpenAiEngineOptions,
  request: TranscriptionRequest,
  deadline: Deadline,
): Promise<TranscriptionResult> {
  const key = request.ownKey ?? options.key;
  const source = watchAudio(request.audio, deadline);
  const { contentType, body } = writeForm({
    before: { model: options.model, response_format: options.format },
    audio: source.audio,
    type: request.type,
    after: async () => ({
      language: await source.guard(request.language),
      ...describePrompt(await request.prompt?.()),
      // Only `verbose_json` contains times, and services do not stream it.
      ...(options.format === 'json' && (await request.streams?.()) === true ? { stream: 'true' } : {}),
    }),
  });
  const headers = {
    'content-type': contentType,
    accept: 'application/json, text/event-stream',
    ...getAuthorization(key, options.authHeader),
  };
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  try {
    const answer = await post(endpoint, headers, body, signal);
    if (isSuccess(answer) && /^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '')) {
      return await readTranscript(watchPieces(answer, deadline.extend), key, request.onText);
    }
    return parseAnswer(answer, await readBody(answer), key);
  } catch (cause) {
    if (source.error() !== undefined) throw source.error();
    if (cause instanceof SpeechError) throw cause;
    if (request.signal.aborted) throw new SpeechError('upload_aborted', { cause });
    if (deadline.signal.aborted) throw new SpeechError('service_timeout', { cause });
    throw new SpeechError('service_unreachable', { cause });
  }
}

function describePrompt(prompt = ''): Record<string, string> {
  return prompt === '' ? {} : { prompt };
}

/** Remembers an error on the caller's side: the request to the service only sees a broken stream. */
function watchAudio(audio: AsyncIterable<Uint8Array>, deadline: Deadline) {
  let callerError: unknown;
  const remember = (error: unknown): never => {
    callerError = error;
    throw error;
  };
  async function* passOn(): AsyncGenerator<Uint8Array> {
    try {
      yield* watchPieces(audio, deadline.extend);
    } catch (error) {
      remember(error);
    }
  }
  return {
    audio: passOn(),
    guard: <T>(work: () => Promise<T>): Promise<T> => work().catch(remember),
    error: (): unknown => callerError,
  };
}

function post(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = endpoint.protocol === 'https:' ? https : http;
    // A new connection, because a pooled one may just be closing and a stream cannot be sent twice. Kept alive,
    // because a service that answers early and closes would lose its answer.
    const agent = new client.Agent({ keepAlive: true });
    const outgoing = client.request(endpoint, { method: 'POST', headers, signal, agent });
    outgoing.once('close', () => agent.destroy());
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    // A service may answer before it has read everything: the rest breaks off and the answer counts.
    pipeline(Readable.from(body, { objectMode: false }), outgoing, (error) => {
      if (error) reject(error);
    });
  });
}

/** Drops the body of an error where it is too long: its status says enough. */
async function readBody(answer: IncomingMessage): Promise<string> {
  const failed = !isSuccess(answer);
  const { errorBytes, transcriptionBytes } = SERVICE_LIMITS;
  try {
    return await readText(answer, failed ? errorBytes : transcriptionBytes);
  } catch (error) {
    if (!(error instanceof AnswerTooLongError)) throw error;
    if (failed) return '';
    throw new SpeechError('service_error', { serviceStatus: answer.statusCode, cause: error });
  }
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 299;
}

function parseAnswer(answer: IncomingMessage, body: string, key: string | undefined): TranscriptionResult {
  const status = answer.statusCode ?? 0;
  if (!isSuccess(answer)) {
    throw toSpeechError({ status, body, retryAfter: answer.headers['retry-after'] }, key);
  }
  const parsed = AnswerSchema.safeParse(parseJson(body));
  if (!parsed.success) throw new SpeechError('service_error', { serviceStatus: status });
  const { text, segments, duration } = parsed.data;
  const spoken = spokenSegments(segments).filter((one) => keepSpokenWords(one.text) !== '');
  return { text: keepSpokenWords(text), segments: spoken, ...(duration === undefined ? {} : { durationS: duration }) };
}
