import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type pg from 'pg';
import { pino } from 'pino';
import type { Resolve } from '#backend/auth/index.ts';
import type { ProjectConfig } from '#backend/config.ts';
import { openBackend, type Backend } from '#backend/index.ts';
import { createApp } from '#server/app.ts';
import { embeddedPlatform } from '#server/platform.ts';
import { readEnv } from '#server/env.ts';
import { backendOptions } from '#server/backend-options.ts';
import { accountMailer } from '#server/mail/index.ts';
import { asOwner } from './callers.ts';
import { createDatabase } from './database.ts';
import { PATIENT_DATABASE } from './time-limits.ts';

type Auth = ProjectConfig['auth'];

export type AuthBackendOptions = Readonly<{
  /** Changes to supabase/config.toml's `[auth]`. */
  auth?: (auth: Auth) => Partial<Auth>;
  log?: NodeJS.WritableStream;
  /** Only `advance` moves a frozen clock: for tests of spans that a busy machine would otherwise use up. */
  clock?: 'frozen';
  /** A database another server stands on already; it outlives this one. */
  databaseUrl?: string;
  /** Looks names of other providers up. */
  resolve?: Resolve;
}>;

/** An `[auth]` section that sends confirmations and lets a test ask as often as it likes. */
export function mailing(auth: Auth): Partial<Auth> {
  const many = 100_000;
  return {
    enable_signup: true,
    additional_redirect_urls: ['https://app.beispiel.test/**'],
    email: { ...auth.email, enable_confirmations: true },
    rate_limit: { ...auth.rate_limit, email_sent: many, sign_in_sign_ups: many, token_verifications: many },
  };
}

export type ReceivedMail = Readonly<{
  head: string;
  to: string;
  subject: string;
  text: string;
  link: URL;
  code: string;
}>;

export type AuthBackend = Readonly<{
  url: string;
  folder: string;
  backend: Backend;
  client: (headers?: Record<string, string>) => SupabaseClient;
  service: () => SupabaseClient;
  /** POST, PUT … with JSON; `headers` may replace ours. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** Moves this server's clock on. */
  advance: (ms: number) => void;
  /** Milliseconds since 1970 by this server's clock. */
  now: () => number;
  sql: (text: string, params?: unknown[]) => Promise<pg.QueryResultRow[]>;
  mails: () => Promise<ReceivedMail[]>;
  stop: () => Promise<void>;
}>;

/** The application over a database of its own, with a clock and an `[auth]` section of the test's choice. */
export async function bootAuthBackend(options: AuthBackendOptions = {}): Promise<AuthBackend> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-auth-'));
  const own = options.databaseUrl === undefined ? await createDatabase('migrated') : undefined;
  const databaseUrl = options.databaseUrl ?? own?.url ?? '';
  const source = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    TRUST_PROXY: 'true',
    LOG_LEVEL: 'info',
    ...PATIENT_DATABASE,
  };
  const env = readEnv(source);
  const log = options.log === undefined ? pino({ level: 'silent' }) : pino({ level: 'debug' }, options.log);
  let skipped = 0;
  const start = Date.now();
  const now = options.clock === 'frozen' ? () => start + skipped : () => Date.now() + skipped;
  const product = backendOptions(env, log, source, accountMailer(env));
  /** By the link beside it: a mail shows its code only where a screen asks for it. */
  const codes = new Map<string, string>();
  const backend = await openBackend({
    ...product,
    mailer: {
      send: (mail) => {
        if (mail.link !== undefined) codes.set(new URL(mail.link).href, mail.code);
        return product.mailer.send(mail);
      },
    },
    now,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    configure: (config) => {
      // Upstream's default, for tests of its answers; what this project's file says is for tests of this product.
      const auth = { ...config.auth, security: { update_password_require_current_password: false } };
      return { ...config, auth: { ...auth, ...options.auth?.(auth) } };
    },
  });
  const platform = embeddedPlatform(backend);
  const app = await createApp({ env, platform, log, isReady: () => true, beforeClose: () => undefined });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const supabase = (key: string, headers: Record<string, string> = {}): SupabaseClient =>
    createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false }, global: { headers } });
  return {
    url,
    folder,
    backend,
    client: (headers) => supabase(backend.keys.publishableKey, headers),
    service: () => supabase(backend.keys.secretKey),
    call: (method, route, body, headers) =>
      fetch(`${url}/auth/v1${route}`, {
        method,
        redirect: 'manual',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    advance: (ms) => void (skipped += ms),
    now,
    sql: (text, params) =>
      asOwner(databaseUrl, async (client) => (await client.query<pg.QueryResultRow>(text, params)).rows),
    mails: async () => {
      const mails = await readOutbox(path.join(folder, 'outbox'));
      return mails.map((mail) => ({ ...mail, code: codes.get(mail.link.href) ?? mail.code }));
    },
    stop: async () => {
      await app.close();
      await backend.close();
      await own?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readOutbox(folder: string): Promise<ReceivedMail[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  return Promise.all(names.map(async (name) => parseMail(await readFile(path.join(folder, name), 'utf8'))));
}

function parseMail(source: string): ReceivedMail {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const encoded = /text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(source)?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString();
  const words = (/^Subject: (.*(?:\r\n .*)*)/m.exec(head)?.[1] ?? '').split('\r\n ');
  return {
    head,
    to: /^To: (.*)$/m.exec(head)?.[1]?.trim() ?? '',
    subject: words
      .map((word) =>
        word.replace(/^=\?UTF-8\?B\?(.*)\?=$/, (_, data: string) => Buffer.from(data, 'base64').toString()),
      )
      .join(''),
    text,
    link: new URL(/^http\S+$/m.exec(text)?.[0] ?? 'http://missing.invalid'),
    code: /Code ein: (\d+)/.exec(text)?.[1] ?? '',
  };
}
