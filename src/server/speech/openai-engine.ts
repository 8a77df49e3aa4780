import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import { spokenSegments } from '#contract/spoken.ts';
import { AnswerTooLongError, readText } from '#http/limited-answer.ts';
import { SERVICE_LIMITS } from '../service-limits.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import type { Spoken, TranscriptionEngine, TranscriptionRequest } from './engine.ts';
import { SpeechError } from './errors.ts';
import { multipartBody } from './multipart-body.ts';
import { serviceError } from './service-errors.ts';

export type OpenAiEngineOptions = Readonly<{
  /** Base (`https://api.openai.com/v1`, or a bare origin) or the whole address (`…/audio/transcriptions?api-version=…`). */
  url: string;
  model: string;
  /** Azure wants `api-key`. */
  authHeader: 'authorization' | 'api-key';
  key: string | undefined;
  /** `verbose_json` brings times, where service and model know it. */
  format: 'json' | 'verbose_json';
  /** ms without progress: from the last piece handed on, so a slow line of the caller does not count. */
  timeoutMs: number;
}>;

const PATH = '/audio/transcriptions';

/** Some services tell times unasked. */
const AnswerSchema = z.object({ text: z.string(), segments: z.unknown().optional() });

/** Any service that speaks OpenAI's `POST /audio/transcriptions`. The recording passes through piece by piece. */
export function openAiEngine(options: OpenAiEngineOptions): TranscriptionEngine {
  const endpoint = endpointOf(options.url);
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

/** A bare origin gets `/v1/audio/transcriptions`, any other base `/audio/transcriptions`; a query stays. */
export function endpointOf(url: string): URL {
  const endpoint = new URL(url);
  const base = endpoint.pathname.replace(/\/+$/, '');
  if (!base.endsWith(PATH)) endpoint.pathname = `${base === '' ? '/v1' : base}${PATH}`;
  return endpoint;
}

async function transcribe(
  endpoint: URL,
  options: OpenAiEngineOptions,
  request: TranscriptionRequest,
  deadline: Deadline,
): Promise<Spoken> {
  const key = request.ownKey ?? options.key;
  const source = watched(request.audio, deadline);
  const { contentType, body } = multipartBody({
    before: { model: options.model, response_format: options.format },
    audio: source.audio,
    type: request.type,
    after: async () => ({ language: await source.guard(request.language) }),
  });
  const headers = {
    'content-type': contentType,
    accept: 'application/json',
    ...authorization(options.authHeader, key),
  };
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  try {
    const answer = await post(endpoint, headers, body, signal);
    return spokenOf(answer, await readBody(answer), key);
  } catch (cause) {
    if (source.failure() !== undefined) throw source.failure();
    if (cause instanceof SpeechError) throw cause;
    if (request.signal.aborted) throw new SpeechError('upload_aborted', { cause });
    if (deadline.signal.aborted) throw new SpeechError('service_timeout', { cause });
    throw new SpeechError('service_unreachable', { cause });
  }
}

function authorization(header: OpenAiEngineOptions['authHeader'], key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  return header === 'api-key' ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}

/** Remembers what went wrong on the caller's side: the call to the service only sees a broken stream. */
function watched(
  audio: AsyncIterable<Uint8Array>,
  deadline: Deadline,
): {
  audio: AsyncIterable<Uint8Array>;
  guard: <T>(work: () => Promise<T>) => Promise<T>;
  failure: () => unknown;
} {
  let failure: unknown;
  const remember = (error: unknown): never => {
    failure = error;
    throw error;
  };
  async function* passing(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of audio) {
        deadline.extend();
        yield piece;
      }
    } catch (error) {
      remember(error);
    }
  }
  return { audio: passing(), guard: (work) => work().catch(remember), failure: () => failure };
}

function post(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = endpoint.protocol === 'https:' ? https : http;
    // A connection of its own, as one from a pool may just be closing and a stream cannot be sent twice; kept open,
    // as a service that answers early and closes takes its answer with it.
    const agent = new client.Agent({ keepAlive: true });
    const call = client.request(endpoint, { method: 'POST', headers, signal, agent });
    call.once('close', () => agent.destroy());
    call.once('response', resolve);
    call.on('error', reject);
    // A service may answer before it has read everything; then the rest breaks off and the answer counts.
    pipeline(Readable.from(body, { objectMode: false }), call, (error) => {
      if (error) reject(error);
    });
  });
}

/** An error says what it has to say in its status: a body that is too long is left out. */
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

function spokenOf(answer: IncomingMessage, body: string, key: string | undefined): Spoken {
  const status = answer.statusCode ?? 0;
  if (!isSuccess(answer)) {
    throw serviceError({ status, body, retryAfter: answer.headers['retry-after'] }, key);
  }
  const parsed = AnswerSchema.safeParse(parse(body));
  if (!parsed.success) throw new SpeechError('service_error', { serviceStatus: status });
  const { text, segments } = parsed.data;
  return { text, segments: spokenSegments(segments) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
