import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';
import { FILE_BODY } from '#http/body-limits.ts';
import { isAccessRefusal } from '#http/refusals.ts';
import { TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import type { Env } from '../env.ts';
import { createAllowance, type AllowanceLimits } from './allowance.ts';
import { transcribingCaller, type CallerChecks } from './callers.ts';
import { dropRest } from './drop-rest.ts';
import type { TranscriptionEngine } from './engine.ts';
import { renderSpeechError, SpeechError } from './errors.ts';
import { openAiEngine } from './openai-engine.ts';
import { transcribeUpload, type UploadRules } from './transcribe-upload.ts';

export { boundKeyCheck, roleCheck, type HasRole } from './callers.ts';

export type SpeechDeps = CallerChecks &
  Readonly<{
    env: Env;
    /** ms the service may be silent; §9 unless a test is in a hurry. */
    timeoutMs?: number;
    /** ms without a piece of a recording that is on its way. */
    uploadTimeoutMs?: number;
    limits?: Partial<AllowanceLimits>;
  }>;

const PATH = '/v1/audio/transcriptions';
/** What a form may need besides its file. */
const FORM_BYTES = 64 * 1024;
const UPLOAD_TIMEOUT_MS = 300_000;
const CALLS_PER_MINUTE = 10;

/** POST /v1/audio/transcriptions (§7 'Speech-to-text', D12). */
export function speechRoutes(deps: SpeechDeps): FastifyPluginAsync {
  const { env } = deps;
  const engine = engineOf(deps);
  const allowance = createAllowance({ ...defaultLimits(env), ...deps.limits });
  const rules: UploadRules = {
    maxBytes: env.LIMIT_RECORDING_BYTES,
    bodyMaxBytes: env.LIMIT_RECORDING_BYTES + FORM_BYTES,
    timeoutMs: deps.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
  };
  return async (app) => {
    prepare(app, rules);
    app.post(PATH, FILE_BODY, async (request, reply) => {
      const callers = await transcribingCaller(request, deps);
      if (engine === undefined) throw new SpeechError('transcription_unavailable');
      const upload = { request, reply, engine, allowance, callers, rules };
      const { text, segments, format } = await transcribeUpload(upload);
      if (format === 'text') return reply.type('text/plain; charset=utf-8').send(text);
      return format === 'verbose_json' ? { text, segments } : { text };
    });
  };
}

function engineOf({ env, timeoutMs = TRANSCRIPTION_TIMEOUT_MS }: SpeechDeps): TranscriptionEngine | undefined {
  if (env.TRANSCRIPTION_URL === undefined) return undefined;
  return openAiEngine({
    url: env.TRANSCRIPTION_URL,
    model: env.TRANSCRIPTION_MODEL,
    authHeader: env.TRANSCRIPTION_AUTH_HEADER,
    key: env.TRANSCRIPTION_KEY,
    format: env.TRANSCRIPTION_TIMES ? 'verbose_json' : 'json',
    timeoutMs,
  });
}

function defaultLimits(env: Env): AllowanceLimits {
  return {
    callsPerMinute: CALLS_PER_MINUTE,
    bytesPerMinute: 3 * env.LIMIT_RECORDING_BYTES,
    callerBytesPerDay: Math.ceil(env.TRANSCRIPTION_DAILY_BYTES / 4),
    bytesPerDay: env.TRANSCRIPTION_DAILY_BYTES,
  };
}

function prepare(app: FastifyInstance, rules: UploadRules): void {
  app.removeAllContentTypeParsers();
  // The handler reads the body itself, once it knows that it wants it.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof SpeechError ? error : new SpeechError('internal_error', { cause: error });
    log(request, known);
    dropRest(request.raw, rules.bodyMaxBytes);
    return renderSpeechError(known, reply);
  });
}

/** Never the key, the audio, the text or what the service said: only what happened. */
function log(request: FastifyRequest, { code, status, details }: SpeechError): void {
  if (isAccessRefusal(status)) return;
  const facts = { code, serviceStatus: details.serviceStatus };
  if (code === 'internal_error') request.log.error({ ...facts, err: details.cause }, 'transcription failed');
  else request.log.warn({ ...facts, cause: getErrorCode(details.cause) }, 'transcription failed');
}
