import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Captcha } from '#contract/app-config.ts';
import type { CaptchaConfig } from '../platform.ts';

/** The page around a captcha's widget. */
const CAPTCHA_PAGE = 'captcha.html';
const BUILD = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
const PAGE = 'index.html';
const MANIFEST = 'manifest.webmanifest';
const WORKER_FILE = 'sw.js';
/** Written by the build: the files of the first screen, by the last part of its address (decision 0284). */
const FIRST_FILES = fileURLToPath(new URL('../../../dist/first-files.json', import.meta.url));
const FirstFilesSchema = z.record(z.string(), z.array(z.string()));
/** What is missing there is no page. The service worker would keep a page as the script of another version. */
const NO_PAGES = ['/auth/', '/rest/', '/storage/', '/v1/', '/assets/'];
/** Only the backend is there for other origins. With `vary: origin` a browser would ask again for what it has. */
const OTHER_ORIGINS = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];
/** A worker has a policy of its own. */
const WORKER = /worker-[\w-]+\.js(?:\.br|\.gz)?$/;
/** Browsers read these headers only on pages and workers; on other files they waste 700 bytes each. */
const OF_PAGES = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];
const A_YEAR = 'public, max-age=31536000, immutable';

/**
 * Serves the built application; every path that is no file and no API is the application's (client-side routes).
 * `backendUrl`: where the browser finds the backend, if not where it has the page from.
 */
export async function serveBuild(
  app: FastifyInstance,
  product: string,
  backendUrl: string | undefined,
  captcha: CaptchaSite | undefined,
): Promise<void> {
  const policy = contentSecurityPolicy(backendUrl);
  await app.register(helmet, { contentSecurityPolicy: policy, crossOriginEmbedderPolicy: false });
  if (!existsSync(path.join(BUILD, PAGE))) return;
  await app.register(compress);
  const page = readPage(product);
  serveNamed(app, product, JSON.stringify(policy));
  const preloads = existsSync(FIRST_FILES)
    ? readPreloads(readFileSync(FIRST_FILES, 'utf8'))
    : new Map<string, string>();
  await app.register(fastifyStatic, {
    root: BUILD,
    // One route a file: a wildcard route would answer unknown paths of the backend.
    wildcard: false,
    // The build wrote them smaller than they could be made here.
    preCompressed: true,
    globIgnore: ['**/*.{br,gz}', PAGE, MANIFEST, WORKER_FILE],
    setHeaders: (reply, file) => setFileHeaders(reply, file, preloads, captcha),
  });
  app.setNotFoundHandler((request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && !NO_PAGES.some((prefix) => request.url.startsWith(prefix))) {
      setFileHeaders(reply, PAGE, preloads, captcha);
      return sendPage(reply, page);
    }
    return reply
      .code(404)
      .send({ error: 'Not Found', message: `Route ${request.method}:${request.url} not found`, statusCode: 404 });
  });
}

/** The page in the product's name, which chats and tabs show before a script has run (D8). In Brotli. */
function readPage(product: string): Buffer {
  const title = product.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return brotliCompressSync(readBuilt(PAGE).replace(/(?<=<title>)[^<]*/, () => title));
}

/** Nearly every browser asks for Brotli. */
function sendPage(reply: FastifyReply, page: Buffer): FastifyReply {
  const packed = /\bbr\b/.test(String(reply.request.headers['accept-encoding']));
  void reply.code(200).header('vary', 'accept-encoding').type('text/html; charset=utf-8');
  return packed ? reply.header('content-encoding', 'br').send(page) : reply.send(brotliDecompressSync(page));
}

/**
 * The manifest, whose name a home screen shows, and the service worker. That keeps the page with its policy for as long
 * as the page's revision is the same: a backend at another address is another revision, and so is another name.
 */
function serveNamed(app: FastifyInstance, product: string, policy: string): void {
  const name = JSON.stringify(product);
  const manifest = readBuilt(MANIFEST);
  const named = manifest.replace(/"name":.*?,"short_name":.*?(?=,)/, () => `"name":${name},"short_name":${name}`);
  const revision = createHash('sha256').update(policy).update(product).digest('base64url');
  const worker = readBuilt(WORKER_FILE).replace('"index.html",revision:"', (found) => found + revision);
  // The build's own name has a short one.
  serveText(app, MANIFEST, 'application/manifest+json', manifest.includes(`"name":${name}`) ? manifest : named);
  serveText(app, WORKER_FILE, 'text/javascript; charset=utf-8', worker);
}

function serveText(app: FastifyInstance, file: string, type: string, text: string): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  app.get(`/${file}`, (request, reply) => {
    void reply.headers({ 'cache-control': 'no-cache', etag }).type(type);
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(text);
  });
}

const readBuilt = (file: string): string => readFileSync(path.join(BUILD, file), 'utf8');

function setFileHeaders(
  reply: FastifyReply,
  file: string,
  preloads: ReadonlyMap<string, string>,
  captcha: CaptchaSite | undefined,
): void {
  const asset = file.includes(`${path.sep}assets${path.sep}`);
  void reply.header('cache-control', asset ? A_YEAR : 'no-cache');
  for (const name of OTHER_ORIGINS) void reply.removeHeader(name);
  if (asset && !WORKER.test(file)) for (const name of OF_PAGES) void reply.removeHeader(name);
  const name = path.basename(file);
  const preload = name === PAGE ? findPreload(preloads, reply.request.url) : undefined;
  if (preload !== undefined) void reply.header('link', preload);
  if (name !== CAPTCHA_PAGE) return;
  void reply.header('content-security-policy', buildCaptchaPolicy(captcha));
  // The provider checks on which site the widget is.
  void reply.header('referrer-policy', 'strict-origin');
}

/** `Link` headers: the browser asks for these files with the page instead of after its first script. */
export function readPreloads(json: string): ReadonlyMap<string, string> {
  const files = Object.entries(FirstFilesSchema.parse(JSON.parse(json)));
  return new Map(
    files.map(([place, names]) => [place, names.map((name) => `</${name}>; rel=modulepreload`).join(', ')]),
  );
}

/** The header for an address, by the last part of its path. */
export function findPreload(preloads: ReadonlyMap<string, string>, url: string): string | undefined {
  return preloads.get(/([^/?]*)\/?(?:\?|$)/.exec(url)?.[1] ?? '');
}

/**
 * No inline script, no foreign origin but the backend's, no text made into script (threat 9): only the
 * addresses of the two workers are trusted. Inline styles are let in: the dialog's scroll lock writes a style element.
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

/** The widget for the browser, and the hosts that its page may connect to. */
type CaptchaSite = Captcha & Readonly<{ hosts: readonly string[] }>;

/** From the providers' documentation. `captchaReady` is a function of the page. */
const PROVIDERS = {
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js?render=explicit&onload=captchaReady&recaptchacompat=off&hl=de',
    hosts: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=captchaReady',
    hosts: ['https://challenges.cloudflare.com'],
  },
} as const;

/** undefined where no captcha is required, or where it cannot be solved without a site key. */
export function getCaptchaSite({ enabled, provider, site_key, script_url }: CaptchaConfig): CaptchaSite | undefined {
  const siteKey = site_key.trim();
  if (!enabled || siteKey === '') return undefined;
  if (script_url === undefined) return { provider, siteKey, ...PROVIDERS[provider] };
  return { provider, siteKey, script: script_url, hosts: [new URL(script_url).origin] };
}

/**
 * Of the widget's own page, and of no other (decision 0085): the provider's script and frames are let in there, and
 * only the application may frame it.
 */
export function buildCaptchaPolicy(site: CaptchaSite | undefined): string {
  const hosts = (site?.hosts ?? []).join(' ');
  return [
    `default-src 'none'`,
    `script-src 'self' ${hosts}`,
    `style-src 'self' 'unsafe-inline' ${hosts}`,
    `frame-src ${hosts === '' ? `'none'` : hosts}`,
    `connect-src 'self' ${hosts}`,
    `img-src 'self' data: ${hosts}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors ${site === undefined ? `'none'` : `'self'`}`,
  ].join('; ');
}
