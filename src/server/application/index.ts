import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyPluginAsync } from 'fastify';
import type { AppConfig } from '#contract/app-config.ts';
import { createPlainRoute, type Route } from '#http/route.ts';
import { NoAdministratorError, requireAdministrator } from '../administrator.ts';
import { getBackendAccess } from '../backend-client.ts';
import type { Env } from '../env.ts';
import type { Platform } from '../platform.ts';
import { getCaptchaSite, serveBuild } from './build.ts';

type ApplicationDeps = Readonly<{
  env: Env;
  platform: Platform;
  /** False until the start has finished: the first accounts cannot sign in before. */
  isReady: () => boolean;
  transcription: TranscriptionReport;
  /** The kind of voice agent, for /health; it depends on whether a model on this machine transcribes. */
  describeVoice: (hasModel: boolean) => string;
}>;

/** What this module tells of the transcription. */
type TranscriptionReport = Readonly<{
  findSource: () => Promise<Readonly<{ kind: 'service' | 'model' | 'none' }>>;
  /** Model, memory, jobs and speed; undefined where a service transcribes. */
  localStatus: () => object | undefined;
}>;

type ApplicationContext = ApplicationDeps &
  Readonly<{ isAdministrator: (headers: IncomingHttpHeaders) => Promise<boolean> }>;

const publicRoute = createPlainRoute<ApplicationContext>();

const config = publicRoute({ method: 'GET', url: '/config.json' }, async ({ context, request, reply }) => {
  const { env, platform, transcription } = context;
  const transcribes = (await transcription.findSource()).kind !== 'none';
  const origin = env.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
  return reply.header('cache-control', 'no-cache').send(buildAppConfig(env, platform, origin, transcribes));
});

const health = publicRoute({ method: 'GET', url: '/health' }, async ({ context, request, reply }) => {
  const { platform, isReady, transcription, describeVoice } = context;
  const parts = await platform.status();
  const working = parts.database && parts.storage;
  const healthy = working && isReady();
  const source = await transcription.findSource();
  const detailed = source.kind === 'model' && (await context.isAdministrator(request.headers));
  const describe = (works: boolean): string => (works ? 'ok' : 'unavailable');
  return reply
    .code(healthy ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({
      status: working && !healthy ? 'starting' : describe(healthy),
      database: describe(parts.database),
      // Everything else goes on: the server stays in service.
      storage: parts.storage && parts.room === false ? 'full' : describe(parts.storage),
      transcription: source.kind === 'none' ? 'not configured' : 'configured',
      ...(detailed ? { speech: transcription.localStatus() } : {}),
      voice: describeVoice(source.kind === 'model'),
    });
});

const SECURITY_TEXT = '/.well-known/security.txt';
/** RFC 9116 requires less than a year; each request renews it. */
const VALID_MS = 180 * 24 * 3_600_000;

/** Contact for reports of vulnerabilities (RFC 9116); 404 without one. */
export const securityText = createPlainRoute<Readonly<{ env: Pick<Env, 'SECURITY_CONTACT' | 'PUBLIC_URL'> }>>()(
  { method: 'GET', url: SECURITY_TEXT },
  async ({ context: { env }, reply }) => {
    const contact = env.SECURITY_CONTACT;
    if (contact === undefined) return reply.code(404).type('text/plain; charset=utf-8').send('No contact is named.\n');
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${new Date(Date.now() + VALID_MS).toISOString()}`,
      'Preferred-Languages: de, en',
      ...(env.PUBLIC_URL === undefined ? [] : [`Canonical: ${env.PUBLIC_URL}${SECURITY_TEXT}`]),
    ];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  },
);

export const APPLICATION_ROUTES: readonly Route<ApplicationContext>[] = [config, health, securityText];

/** Services of the official clients that are not served here; clients understand a code, not the application's page. */
const UNSERVED_APIS = ['/realtime/v1', '/functions/v1', '/graphql/v1'];

/** The browser application, /config.json, /health and /.well-known/security.txt. */
export function applicationRoutes(deps: ApplicationDeps): FastifyPluginAsync {
  const { env, platform } = deps;
  return async (app) => {
    const isAdministrator = async (headers: IncomingHttpHeaders): Promise<boolean> => {
      if (headers.authorization === undefined) return false;
      const { keys, browserKey: publicKey, browserUrl: backendUrl } = platform;
      return requireAdministrator(headers, getBackendAccess(app, { keys, publicKey, backendUrl })).then(
        () => true,
        (error: unknown) => (error instanceof NoAdministratorError ? false : Promise.reject(error)),
      );
    };
    for (const route of APPLICATION_ROUTES) route.mount(app, { ...deps, isAdministrator });
    for (const url of UNSERVED_APIS.flatMap((api) => [api, `${api}/*`])) {
      app.all(url, (_request, reply) =>
        reply
          .code(404)
          .header('cache-control', 'no-store')
          .send({ code: 'NOT_FOUND', message: 'This service is not available' }),
      );
    }
    const captcha = getCaptchaSite(platform.captcha);
    if (platform.captcha.enabled && captcha === undefined)
      app.log.warn('[auth.captcha] has no site_key: sign-ins will fail');
    await serveBuild(app, env.BRAND_PRODUCT, platform.browserUrl ?? env.PUBLIC_URL, captcha);
  };
}

/** `transcription`: whether this server transcribes now; else the browser does, where it can. */
function buildAppConfig(env: Env, platform: Platform, origin: string, transcription: boolean): AppConfig {
  const captcha = getCaptchaSite(platform.captcha);
  return {
    supabaseUrl: platform.browserUrl ?? origin,
    supabaseKey: platform.browserKey,
    brand: {
      association: env.BRAND_ASSOCIATION,
      product: env.BRAND_PRODUCT,
      imprintUrl: env.BRAND_IMPRINT_URL,
      privacyUrl: env.BRAND_PRIVACY_URL,
    },
    limits: {
      videoBytes: env.LIMIT_VIDEO_BYTES,
      imageBytes: env.LIMIT_IMAGE_BYTES,
      documentBytes: env.LIMIT_DOCUMENT_BYTES,
      recordingBytes: env.LIMIT_RECORDING_BYTES,
      transcriptCharacters: env.LIMIT_TRANSCRIPT_CHARACTERS,
    },
    transcription,
    transcriptionStream: true,
    drafts: env.LLM_URL !== undefined,
    keepRecordings: env.KEEP_RECORDINGS,
    imageRights: env.IMAGE_RIGHTS,
    // A hosted project's store is nothing this server writes to.
    originals: env.KEEP_ORIGINALS || platform.browserUrl !== undefined,
    ...(env.CONSENT_TEXT === undefined ? {} : { consent: env.CONSENT_TEXT }),
    // Without the key this server erases nothing.
    retentionDays: platform.serviceKey === undefined ? undefined : env.RETENTION_DAYS,
    deskMails: platform.serviceKey !== undefined,
    mailServer: env.SMTP_URL !== undefined,
    accountMails: env.SMTP_URL !== undefined || platform.browserUrl !== undefined,
    cloudRecognition: env.CLOUD_RECOGNITION,
    openContributions: env.OPEN_CONTRIBUTIONS,
    secondFactorRoles: env.MFA_REQUIRED_ROLES,
    ...platform.passwords,
    captcha: captcha && { provider: captcha.provider, siteKey: captcha.siteKey, script: captcha.script },
  };
}
