import cors from '@fastify/cors';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { limitJsonBodies } from '#http/body-limits.ts';
import { cutUnreadAnswers, limitBodies } from '#http/slow-clients.ts';
import { logRefusals } from '#http/refusals.ts';
import { TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import { CONVERSATION_PATH } from '#contract/voice.ts';
import type { ModuleDeps } from './backend-client.ts';
import { accountRoutes } from './accounts/index.ts';
import { applicationRoutes } from './application/index.ts';
import { readBackupHistory, tryLastBackup } from './backup/last-backup.ts';
import { deskRoutes } from './desk/index.ts';
import { draftRoutes, type DraftLimits } from './drafts/index.ts';
import type { Env } from './env.ts';
import { readLanguageModel } from './language-model.ts';
import { openMailSearch } from './mail/index.ts';
import type { Platform } from './platform.ts';
import { reviewRoutes } from './review/index.ts';
import { setupPartsRoutes } from './setup/index.ts';
import { openSpeechModels, openTranscription, setupRoutes, speechRoutes, transcribeWav } from './speech/index.ts';
import type { Closing } from './stop.ts';
import { createVoiceCheck, getVoiceHealth, voiceAgentRoutes, type LocalTranscription } from './voice-agent/index.ts';
import { asksForWebSocket, limitWebSockets } from './web-sockets.ts';

export type AppDeps = Closing &
  Readonly<{ env: Env; platform: Platform; log: FastifyBaseLogger; isReady: () => boolean }>;

const MEBIBYTE = 1024 * 1024;
const SECOND_MS = 1_000;
const CHECK_MS = 5_000;

/** Mounts the backend and the modules, nothing else. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = createServer(deps);
  await app.register(cors, {
    delegator: (request, done) => done(null, chooseCors(request)),
  });
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-content-type-options', 'nosniff'));
  logRefusals(app, deps.platform.keys);
  await deps.platform.mount(app);
  await mountModules(app, deps);
  return app;
}

function createServer({ env, log }: AppDeps): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: parseTrustedProxies(env.TRUST_PROXY),
    bodyLimit: MEBIBYTE,
    // supabase-js sends whole filters in the query string.
    routerOptions: { maxParamLength: 2_048 },
    forceCloseConnections: true,
    http: {
      headersTimeout: env.HEADERS_TIMEOUT_S * SECOND_MS,
      connectionsCheckingInterval: Math.min(CHECK_MS, (env.HEADERS_TIMEOUT_S * SECOND_MS) / 4),
      shouldUpgradeCallback: asksForWebSocket,
    },
  });
  limitJsonBodies(app);
  limitBodies(app, { silence: env.BODY_SILENCE_S * SECOND_MS, body: env.BODY_TIMEOUT_S * SECOND_MS });
  cutUnreadAnswers(app, env.ANSWER_SILENCE_S * SECOND_MS);
  return app;
}

async function mountModules(app: FastifyInstance, deps: AppDeps): Promise<void> {
  const { env, platform, log, isReady } = deps;
  const { keys } = platform;
  const backend = { keys, backendUrl: platform.browserUrl, publicKey: platform.browserKey };
  const models = openSpeechModels(env);
  const transcription = openTranscription(env, log, TRANSCRIPTION_TIMEOUT_MS, models);
  const describeVoice = (hasModel: boolean) => getVoiceHealth(env, hasModel);
  // Before the routes close, so that waiting callers get an answer.
  app.addHook('preClose', transcription.close);
  const { holdsContribution, holdsReview, hasRole } = platform;
  const rights = { keys, holdsContribution, holdsReview, hasRole };
  await app.register(speechRoutes({ ...rights, env, findEngine: transcription.findEngine }));
  const hasService = env.TRANSCRIPTION_URL !== undefined;
  await app.register(setupRoutes({ ...backend, models, hasService, engine: transcription.findEngine }));
  await app.register(
    setupPartsRoutes({
      ...backend,
      env,
      serviceKey: platform.serviceKey,
      readDatabaseVersion: platform.readDatabaseVersion,
      readBackups: () => readBackupHistory(env.DATA_DIR),
      tryBackup: async () => (env.SUPABASE_URL === undefined ? tryLastBackup(env.DATA_DIR) : undefined),
      findTranscription: async () => {
        const { kind } = await transcription.findSource();
        return kind === 'none' ? 'nothing' : kind;
      },
      findVoiceEngine: describeVoice,
      tryVoice: createVoiceCheck(env),
    }),
  );
  await mountContributions(app, deps, backend);
  const local = createLocalTurns(transcription);
  await app.register(voiceAgentRoutes({ env, keys, store: platform.turns, shared: platform.voiceCounters, local }));
  await app.register(limitWebSockets([CONVERSATION_PATH]));
  await app.register(applicationRoutes({ env, platform, isReady, transcription, describeVoice }));
}

/** Accounts, the desk, drafts and reviews: what works on contributions through the backend. */
async function mountContributions(
  app: FastifyInstance,
  { env, platform, log, beforeClose }: AppDeps,
  backend: ModuleDeps,
): Promise<void> {
  const { serviceKey } = platform;
  await app.register(accountRoutes({ ...backend, serviceKey, publicUrl: env.PUBLIC_URL, beforeClose }));
  await app.register(
    deskRoutes({
      ...backend,
      serviceKey,
      removeTraces: platform.removeTraces,
      compact: platform.compact,
      dataDir: env.DATA_DIR,
      mails: openMailSearch(env),
      retentionDays: env.RETENTION_DAYS,
      log,
      beforeClose,
    }),
  );
  await app.register(draftRoutes({ ...backend, service: readLanguageModel(env), limits: readDraftLimits(env) }));
  await app.register(
    reviewRoutes({
      ...backend,
      serviceKey,
      linksPerHour: env.REVIEW_LINKS_PER_HOUR,
      picturesPerHour: env.REVIEW_PICTURES_PER_HOUR,
    }),
  );
}

function readDraftLimits(env: Env): DraftLimits {
  return {
    concurrent: env.DRAFTS_CONCURRENT,
    totalMs: env.DRAFT_SECONDS * SECOND_MS,
    silenceMs: env.DRAFT_SILENCE_S * SECOND_MS,
    answerCharacters: env.DRAFT_ANSWER_CHARACTERS,
    partCharacters: env.DRAFT_PART_CHARACTERS,
  };
}

/** Turns of an interview through the model that is installed, if there is one. */
function createLocalTurns({ engine, findSource, hold }: ReturnType<typeof openTranscription>): LocalTranscription {
  return {
    isInstalled: async () => (await findSource()).kind === 'model',
    hold,
    transcribe: async (wav, { conversation, prompt, signal }) => {
      const turn = { caller: `conversation:${conversation}`, priority: 'turn', signal } as const;
      return (await transcribeWav(engine, wav, { ...turn, prompt: async () => prompt })).text;
    },
  };
}

/** Fastify refuses a number of proxies, because it cannot tell who connects: only they reach this server. */
function parseTrustedProxies(
  proxies: Env['TRUST_PROXY'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof proxies === 'number' ? (_address, hop) => hop < proxies : proxies;
}

/** OPTIONS asks a resumable upload what it speaks where it is no browser's preflight: the route answers it. */
function chooseCors(request: FastifyRequest) {
  if (isSameOriginOnly(request)) return { origin: false };
  return asksForUploads(request) ? { ...CORS, preflight: false } : CORS;
}

function asksForUploads({ url, headers }: FastifyRequest): boolean {
  const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
  return !isPreflight && url.startsWith('/storage/v1/upload/resumable');
}

/** Only the application of this origin uses the desk, the accounts, the setup and a review's own routes. */
const SAME_ORIGIN = ['/v1/desk', '/v1/accounts', '/v1/setup', '/v1/review'];

/** A preflight has no route, so its address decides. */
function isSameOriginOnly({ method, url, routeOptions }: FastifyRequest): boolean {
  const asked = method === 'OPTIONS' ? url : (routeOptions.url ?? url);
  return SAME_ORIGIN.some((path) => asked.startsWith(path));
}

/** supabase-contract §0: any origin (no cookies exist), preflight answered before authentication. */
// prettier-ignore
const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  maxAge: 3_600,
  exposedHeaders: [
    'content-range', 'content-profile', 'preference-applied', 'link', 'x-total-count', 'x-supabase-api-version',
    'x-sb-error-code', 'location', 'upload-offset', 'upload-length', 'upload-metadata', 'upload-expires',
    'tus-resumable', 'tus-version', 'tus-extension', 'tus-max-size', 'tus-complete',
  ],
};
