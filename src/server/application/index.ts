import type { FastifyPluginAsync } from 'fastify';
import { createPlainRoute, type Route } from '#http/route.ts';
import type { Env } from '../env.ts';
import type { Platform } from '../platform.ts';
import { buildAppConfig } from './app-config.ts';
import { serveBuild } from './build.ts';
import { getCaptchaSite } from './captcha.ts';
import { securityText } from './security-txt.ts';

type ApplicationDeps = Readonly<{
  env: Env;
  platform: Platform;
  /** False until the start has finished: the first accounts cannot sign in before. */
  isReady: () => boolean;
  /** The kind of voice agent, for /health. */
  voice: string;
}>;

const publicRoute = createPlainRoute<ApplicationDeps>('anyone');

const config = publicRoute({ method: 'GET', url: '/config.json' }, async ({ context, request, reply }) => {
  const { env, platform } = context;
  const origin = env.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
  return reply.header('cache-control', 'no-cache').send(buildAppConfig(env, platform, origin));
});

const health = publicRoute({ method: 'GET', url: '/health' }, async ({ context, reply }) => {
  const { env, platform, isReady, voice } = context;
  const parts = await platform.status();
  const working = parts.database && parts.storage;
  const healthy = working && isReady();
  const describe = (works: boolean): string => (works ? 'ok' : 'unavailable');
  return reply
    .code(healthy ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({
      status: working && !healthy ? 'starting' : describe(healthy),
      database: describe(parts.database),
      storage: describe(parts.storage),
      transcription: env.TRANSCRIPTION_URL === undefined ? 'not configured' : 'configured',
      voice,
    });
});

export const APPLICATION_ROUTES: readonly Route<ApplicationDeps>[] = [config, health, securityText];

/**
 * Services of the official clients that are not served here: a client understands a code, not the application's page.
 */
const UNSERVED_APIS = ['/realtime/v1', '/functions/v1', '/graphql/v1'];

/** The browser application, /config.json, /health and /.well-known/security.txt. */
export function applicationRoutes(deps: ApplicationDeps): FastifyPluginAsync {
  const { platform } = deps;
  return async (app) => {
    for (const route of APPLICATION_ROUTES) route.mount(app, deps);
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
    await serveBuild(app, platform.browserUrl, captcha);
  };
}
