import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The names of built files carry what is in them: name-HASH.js, HASH of seven or eight characters. */
const NAMED = /[\w.-]+-[\w-]{7,8}(?=\.(?:js|css|woff2)\b)/g;
const INDEX_REVISION = /(?<=url:"index\.html",revision:")[^"]+/;

/** The built application under other names, as after an update of all its sources: no address of it stays. */
export async function secondBuild(): Promise<Readonly<{ folder: string; remove: () => Promise<void> }>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-build-'));
  const names = await readdir(BUILT, { recursive: true });
  const known = new Set(names.map((name) => path.parse(name).name));
  const rename = (text: string): string => text.replace(NAMED, (name) => (known.has(name) ? `${name}-2` : name));
  for (const name of names.filter((each) => /\.(?:html|js|css|svg|woff2)$/.test(each))) {
    const to = path.join(folder, rename(name));
    await mkdir(path.dirname(to), { recursive: true });
    if (name.endsWith('.woff2')) await copyFile(path.join(BUILT, name), to);
    else
      await writeFile(to, rename(await readFile(path.join(BUILT, name), 'utf8')).replace(INDEX_REVISION, 'the-second'));
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * An installation that can be updated: the API is the server's throughout, the application is its own or the second
 * build's.
 */
export type Installation = Readonly<{
  url: string;
  /** From now on the second build is served, and nothing of the first one. */
  update: (folder: string) => void;
  /** Requests of this method and path wait until what is returned is called. */
  hold: (method: string, at: RegExp) => Readonly<{ held: () => number; release: () => void }>;
  stop: () => Promise<void>;
}>;

export async function startInstallation(target: string): Promise<Installation> {
  let second: string | undefined;
  let gate: Readonly<{ method: string; at: RegExp; open: Promise<void>; count: () => void }> | undefined;
  const answer = async (asked: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (gate !== undefined && asked.method === gate.method && gate.at.test(asked.url ?? '')) {
      gate.count();
      await gate.open;
    }
    if (second !== undefined && isApplication(asked)) await serve(second, asked, reply);
    else forward(target, asked, reply);
  };
  const server = createServer((asked, reply) => void answer(asked, reply).catch(() => reply.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    update: (folder) => {
      second = folder;
    },
    hold: (method, at) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      let held = 0;
      gate = { method, at, open: promise, count: () => (held += 1) };
      return {
        held: () => held,
        release: () => {
          gate = undefined;
          resolve();
        },
      };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function isApplication({ method, url = '/' }: IncomingMessage): boolean {
  return method === 'GET' && !/^\/(auth|rest|storage|v1)\/|^\/(health|config\.json)/.test(url);
}

async function serve(folder: string, asked: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { pathname } = new URL(asked.url ?? '/', 'http://x');
  const file = path.extname(pathname) === '' ? 'index.html' : pathname;
  const content = await readFile(path.join(folder, file)).catch(() => undefined);
  if (content === undefined) return void reply.writeHead(404).end();
  const kept = pathname.startsWith('/assets/');
  const type = TYPES[path.extname(file)] ?? 'text/html; charset=utf-8';
  reply.writeHead(200, { 'content-type': type, 'cache-control': kept ? 'max-age=31536000, immutable' : 'no-cache' });
  reply.end(content);
}

function forward(target: string, asked: IncomingMessage, reply: ServerResponse): void {
  const { hostname, port } = new URL(target);
  const passed = request({ hostname, port, method: asked.method, path: asked.url, headers: asked.headers }, (got) => {
    reply.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(reply);
  });
  passed.once('error', () => reply.destroy());
  asked.pipe(passed);
}
