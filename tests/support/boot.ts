import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { pino } from 'pino';
import type { Backend } from '#backend/index.ts';
import { readEnv } from '#server/env.ts';
import { startServer, type RunningServer } from '#server/start.ts';
import { asOwner } from './callers.ts';
import './late-answers.ts';
import { createDatabase } from './database.ts';
import { PATIENT_DATABASE, STATE_MS } from './time-limits.ts';

export type TestServer = RunningServer &
  Readonly<{
    backend: Backend;
    dataDir: string;
    /** As the owner, past every policy: to arrange and to look, never as the subject of a test. */
    databaseUrl: string;
    /** supabase-js with the public key and no stored session. `headers` go with every call. */
    client: (options?: { key?: string; headers?: Record<string, string> }) => SupabaseClient;
    /** supabase-js with the service key. */
    service: () => SupabaseClient;
  }>;

/** Boots the real application on a free port, a database and a data folder of its own. Call `stop` in afterAll. */
export async function bootServer(overrides: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-data-'));
  // A project of its own has migrations of its own.
  const kind = overrides['SUPABASE_DIR'] === undefined ? 'migrated' : 'empty';
  const database = overrides['DATABASE_URL'] === undefined ? await createDatabase(kind) : undefined;
  const source = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    AUTH_RATE_LIMIT: '100000',
    DESK_MAIL_PAUSE_S: '0',
    ...PATIENT_DATABASE,
    DATA_DIR: dataDir,
    DATABASE_URL: database?.url,
    ...overrides,
  };
  const env = readEnv(source);
  const server = await startServer(env, pino({ level: env.LOG_LEVEL }), source);
  const { backend } = server;
  if (backend === undefined) throw new Error('bootServer boots the embedded backend; see bootHosted');
  if (kind === 'migrated') await mailsAreMade(server, backend.databaseUrl);
  const client: TestServer['client'] = ({ key = backend.keys.publishableKey, headers = {} } = {}) =>
    createClient(server.url, key, { auth: { persistSession: false, autoRefreshToken: false }, global: { headers } });
  return {
    ...server,
    backend,
    dataDir,
    databaseUrl: backend.databaseUrl,
    client,
    service: () => client({ key: backend.keys.secretKey }),
    stop: async () => {
      await server.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Until the server has said that it sends the desk's mails, a complete contribution makes none (decision 0070). */
async function mailsAreMade({ deskMail }: RunningServer, databaseUrl: string): Promise<void> {
  if (deskMail === undefined) return;
  const said = `select from private.settings where name = 'desk_mail'`;
  // A round can fail on a busy machine, and ten of them in no time.
  for (const until = performance.now() + STATE_MS; performance.now() < until;) {
    await deskMail.idle();
    if ((await asOwner(databaseUrl, (client) => client.query(said))).rows.length > 0) return;
    deskMail.poke();
  }
  throw new Error('the server did not say that it sends mails');
}

/** A second application that uses `project` as its hosted backend (architecture, line 6). */
export async function bootHosted(
  project: TestServer,
  overrides: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-hosted-'));
  const source = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    SUPABASE_URL: project.url,
    SUPABASE_KEY: project.backend.keys.publishableKey,
    ...overrides,
  };
  const env = readEnv(source);
  const server = await startServer(env, pino({ level: env.LOG_LEVEL }), source);
  return { ...server, stop: () => server.stop().then(() => rm(dataDir, { recursive: true, force: true })) };
}
