import type { FastifyPluginAsync } from 'fastify';
import type { Env } from '../env.ts';
import type { Platform } from '../platform.ts';
import { appConfig } from './app-config.ts';
import { serveBuild } from './build.ts';
import { captchaSite } from './captcha.ts';

type ApplicationDeps = Readonly<{
  env: Env;
  platform: Platform;
  /** What an interview runs on here, for /health. */
  voice: string;
}>;

/** The browser application and what it and its operator ask first: /, /config.json, /health. */
export function applicationRoutes({ env, platform, voice }: ApplicationDeps): FastifyPluginAsync {
  return async (app) => {
    app.get('/config.json', async (request, reply) => {
      const origin = env.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
      return reply.header('cache-control', 'no-cache').send(appConfig(env, platform, origin));
    });
    app.get('/health', async (_request, reply) => {
      const parts = await platform.status();
      const healthy = parts.database && parts.storage;
      const word = (works: boolean): string => (works ? 'ok' : 'unavailable');
      return reply
        .code(healthy ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({
          status: word(healthy),
          database: word(parts.database),
          storage: word(parts.storage),
          transcription: env.TRANSCRIPTION_URL === undefined ? 'not configured' : 'configured',
          voice,
        });
    });
    const captcha = captchaSite(platform.captcha);
    if (platform.captcha.enabled && captcha === undefined)
      app.log.warn('[auth.captcha] has no site_key: nobody can sign in');
    await serveBuild(app, platform.browserUrl, captcha);
  };
}
