import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { buildCaptchaPolicy, type CaptchaSite } from './captcha.ts';

/** The page around a captcha's widget. */
const CAPTCHA_PAGE = 'captcha.html';
const BUILD = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
const API_PREFIXES = ['/auth/', '/rest/', '/storage/', '/v1/'];
const A_YEAR = 'public, max-age=31536000, immutable';

/** Serves the built application; every path that is no file and no API is the application's (client-side routes). */
export async function serveBuild(
  app: FastifyInstance,
  backendUrl: string | undefined,
  captcha: CaptchaSite | undefined,
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: contentSecurityPolicy(backendUrl),
    crossOriginEmbedderPolicy: false,
  });
  if (!existsSync(path.join(BUILD, 'index.html'))) return;
  await app.register(compress);
  await app.register(fastifyStatic, {
    root: BUILD,
    // One route a file: a wildcard route would answer unknown paths of the backend.
    wildcard: false,
    setHeaders: (reply, file) => {
      void reply.header('cache-control', file.includes(`${path.sep}assets${path.sep}`) ? A_YEAR : 'no-cache');
      if (path.basename(file) !== CAPTCHA_PAGE) return;
      void reply.header('content-security-policy', buildCaptchaPolicy(captcha));
      // The provider checks on which site the widget is.
      void reply.header('referrer-policy', 'strict-origin');
    },
  });
  app.setNotFoundHandler((request, reply) => {
    const page = request.method === 'GET' && !API_PREFIXES.some((prefix) => request.url.startsWith(prefix));
    if (page) return reply.sendFile('index.html');
    return reply
      .code(404)
      .send({ error: 'Not Found', message: `Route ${request.method}:${request.url} not found`, statusCode: 404 });
  });
}

/**
 * No inline script, no foreign origin but a hosted backend's, no text made into script (threat 9): the addresses
 * of the two workers alone are trusted. Inline styles are let in: the dialog's scroll lock writes a style element.
 */
function contentSecurityPolicy(backendUrl: string | undefined) {
  const backend = backendUrl === undefined ? [] : [new URL(backendUrl).origin];
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:', ...backend],
      mediaSrc: ["'self'", 'blob:', ...backend],
      connectSrc: ["'self'", ...backend],
      fontSrc: ["'self'"],
      workerSrc: ["'self'"],
      manifestSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ['service-worker', 'evidence-worker'],
    },
  };
}
