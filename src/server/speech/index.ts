import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import { FILE_BODY } from '#http/slow-clients.ts';
import { logError, sendError } from '#http/errors.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { type SpokenSegment, TRANSCRIPTION_PATH } from '#contract/spoken.ts';
import type { Env } from '../env.ts';
import { createAnswerStream } from './answer-stream.ts';
import {
  authorizeTranscription,
  createTranscriptionQuota,
  type CallerChecks,
  type TranscriptionCaller,
  type TranscriptionLimits,
} from './access.ts';
import type { TranscriptionEngine } from './engine.ts';
import { SPEECH_ERRORS, SpeechError } from './errors.ts';
import { transcribeUpload, type Transcription, type Upload, type UploadRules } from './transcribe-upload.ts';

export { transcribeWav } from './engine.ts';
export { setupRoutes } from './setup/routes.ts';
export { openSpeechModels } from './models/store.ts';
export { describeTranscription, openTranscription } from './transcription.ts';
export { createInterviewKeyCheck, createReviewKeyCheck, createRoleCheck, type HasRole } from './access.ts';

/** undefined while nothing transcribes. */
type FindEngine = () => Promise<TranscriptionEngine | undefined>;

export type SpeechDeps = CallerChecks &
  Readonly<{
    env: Env;
    /** What transcribes now: a model may be installed while the server runs. */
    findEngine: FindEngine;
    /** ms without a piece of the body. */
    uploadTimeoutMs?: number;
    /** ms after which a stream repeats the place in the queue. */
    queueRepeatMs?: number;
    limits?: Partial<TranscriptionLimits>;
    /** ms since 1970, by which the limits count. */
    now?: () => number;
  }>;

/** For the form around its file. */
const FORM_BYTES = 64 * 1024;
const UPLOAD_TIMEOUT_MS = 300_000;
const CALLS_PER_MINUTE = 10;

type SpeechContext = CallerChecks &
  Readonly<{
    findEngine: FindEngine;
    quota: Upload['quota'];
    rules: UploadRules;
    queueRepeatMs: number | undefined;
  }>;

const speechRoute = createRouteKind<SpeechContext, TranscriptionCaller>({
  caller: 'login with a role, interview key, or review key',
  admit: async ({ context, request }, run) => run(await authorizeTranscription(request, context), {}),
  options: FILE_BODY,
});

export const SPEECH_ROUTES: readonly Route<SpeechContext>[] = [
  speechRoute(
    {
      method: 'POST',
      url: TRANSCRIPTION_PATH,
      limit: 'transcriptions and bytes',
      content: 'multipart/form-data: `file`, `language?`, `prompt?`, `response_format?`, `stream?`, `progress?`',
    },
    async ({ context: { findEngine, quota, rules, queueRepeatMs }, request, reply }, { names, maxBytes }) => {
      const engine = await findEngine();
      if (engine === undefined) throw new SpeechError('transcription_unavailable');
      const stream = createAnswerStream(queueRepeatMs);
      const lowered = lowerRules(rules, maxBytes);
      return answerUpload({ request, reply, engine, quota, callers: names, rules: lowered, stream });
    },
  ),
];

/** POST /v1/audio/transcriptions (§7 'Speech-to-text', D12). */
export function speechRoutes(deps: SpeechDeps): FastifyPluginAsync {
  const { env } = deps;
  const quota = createTranscriptionQuota({ ...getDefaultLimits(env), ...deps.limits }, deps.now);
  const rules: UploadRules = {
    maxBytes: env.LIMIT_RECORDING_BYTES,
    bodyMaxBytes: env.LIMIT_RECORDING_BYTES + FORM_BYTES,
    timeoutMs: deps.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
  };
  return async (app) => {
    configureApp(app, rules);
    const context: SpeechContext = { ...deps, queueRepeatMs: deps.queueRepeatMs, quota, rules };
    for (const route of SPEECH_ROUTES) route.mount(app, context);
  };
}

function lowerRules(rules: UploadRules, most = rules.maxBytes): UploadRules {
  const maxBytes = Math.min(rules.maxBytes, most);
  return { ...rules, maxBytes, bodyMaxBytes: maxBytes + FORM_BYTES };
}

async function answerUpload(upload: Upload): Promise<FastifyReply> {
  const { request, reply, stream, rules } = upload;
  const work = transcribeUpload(upload);
  await Promise.race([stream.begun, work]);
  if (!stream.isRequested()) {
    const transcription = await work;
    const { text, format } = transcription;
    if (format === 'text') return reply.type('text/plain; charset=utf-8').send(text);
    return reply.send(format === 'verbose_json' ? describeVerbosely(transcription) : { text });
  }
  work.then(
    (result) => stream.finish(result, result.format === 'verbose_json' ? 'with-segments' : 'text-only'),
    (error: unknown) => {
      stream.fail(logError(SPEECH_ERRORS, error, request));
      drainRequest(request.raw, rules.bodyMaxBytes);
    },
  );
  // Proxies such as nginx buffer small pieces unless a header forbids it.
  return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream.body);
}

/**
 * OpenAI's `verbose_json`; a segment lasts until the next one. `duration` is left out where the service does not tell
 * it.
 */
function describeVerbosely({ text, segments, durationS, language }: Transcription): object {
  const describeSegment = (segment: SpokenSegment, id: number): object => {
    const end = segments[id + 1]?.start ?? Math.max(segment.start, durationS ?? segment.start);
    return { id, start: segment.start, end, text: segment.text };
  };
  const duration = durationS === undefined ? {} : { duration: durationS };
  return { task: 'transcribe', language, ...duration, text, segments: segments.map(describeSegment) };
}

function getDefaultLimits(env: Env): TranscriptionLimits {
  return {
    callsPerMinute: CALLS_PER_MINUTE,
    bytesPerMinute: 3 * env.LIMIT_RECORDING_BYTES,
    callerBytesPerDay: Math.ceil(env.TRANSCRIPTION_DAILY_BYTES / 4),
    bytesPerDay: env.TRANSCRIPTION_DAILY_BYTES,
  };
}

function configureApp(app: FastifyInstance, rules: UploadRules): void {
  app.removeAllContentTypeParsers();
  // The handler reads the body itself, after its checks.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.setErrorHandler((error, request, reply) => {
    drainRequest(request.raw, rules.bodyMaxBytes);
    return sendError(SPEECH_ERRORS, error, request, reply);
  });
}

const DRAIN_TIMEOUT_MS = 30_000;

/**
 * Reads on after an early answer, because closing a connection under a sender loses the answer. Cuts the connection
 * after `maxBytes` or 30 s.
 */
function drainRequest(request: IncomingMessage, maxBytes: number): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  let left = maxBytes;
  const timer = setTimeout(() => request.destroy(), DRAIN_TIMEOUT_MS).unref();
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => undefined);
  request.on('close', () => clearTimeout(timer));
  request.resume();
}
