import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Env } from '../env.ts';
import type { Platform } from '../platform.ts';
import { buildAppConfig } from './app-config.ts';
import { serveBuild } from './build.ts';
import { getCaptchaSite } from './captcha.ts';
import { securityTextRoute } from './security-txt.ts';

type ApplicationDeps = Readonly<{
  env: Env;
  platform: Platform;
  /** False until the start has finished: the first accounts cannot sign in before. */
  isReady: () => boolean;
  /** The kind of voice agent, for /health. */
  voice: string;
}>;

/**
 * Services of the official clients that are not served here: a client understands a code, not the application's page.
 */
const UNSERVED_APIS = ['/realtime/v1', '/functions/v1', '/graphql/v1'];

function refuseUnservedApis(app: FastifyInstance): void {
  const refuse = (reply: FastifyReply) =>
    reply
      .code(404)
      .header('cache-control', 'no-store')
      .send({ code: 'NOT_FOUND', message: 'This service is not available' });
  for (const api of UNSERVED_APIS) {
    for (const url of [api, `${api}/*`]) app.all(url, (_request, reply) => refuse(reply));
  }
}

/** The browser application, /config.json, /health and /.well-known/security.txt. */
export function applicationRoutes({ env, platform, isReady, voice }: ApplicationDeps): FastifyPluginAsync {
  return async (app) => {
    app.get('/config.json', async (request, reply) => {
      const origin = env.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
      return reply.header('cache-control', 'no-cache').send(buildAppConfig(env, platform, origin));
    });
    app.get('/health', async (_request, reply) => {
      const parts = await platform.status();
      const working = parts.database && parts.storage;
      const healthy = working && isReady();
      const word = (works: boolean): string => (works ? 'ok' : 'unavailable');
      return reply
        .code(healthy ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({
          status: working && !healthy ? 'starting' : word(healthy),
          database: word(parts.database),
          storage: word(parts.storage),
          transcription: env.TRANSCRIPTION_URL === undefined ? 'not configured' : 'configured',
          voice,
        });
    });
    refuseUnservedApis(app);
    await app.register(securityTextRoute(env));
    const captcha = getCaptchaSite(platform.captcha);
    if (platform.captcha.enabled && captcha === undefined)
      app.log.warn('[auth.captcha] has no site_key: sign-ins will fail');
    await serveBuild(app, platform.browserUrl, captcha);
  };
}
