import { cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Role } from '#contract/roles.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { SHIPPED_LIMITS } from '#tests/support/time-limits.ts';
import { getDatabaseUrl } from '../bench/rest.ts';
import { send, type Call, type Reply } from './client.ts';

type Headers = Readonly<Record<string, string>>;

/** The server under attack: a process of its own with its own embedded PostgreSQL, on the loopback alone. */
export type Target = Readonly<{
  url: string;
  pid: number;
  dataDir: string;
  databaseUrl: string;
  /** Of a member who was there before and goes on working. */
  member: Headers;
  /** Of an administrator, for attacks that need a login: limits for one user must not reach the member either. */
  attackingMember: Headers;
  /** Of a guest without login who holds a fresh key of an interview. */
  guest: (key?: string) => Headers;
  call: (call: Call) => Promise<Reply>;
  sql: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  output: () => string;
  isAlive: () => boolean;
  /** Resolves with the milliseconds an orderly stop took; undefined where it had to be killed after `PATIENCE_MS`. */
  stop: () => Promise<number | undefined>;
}>;

const PATIENCE_MS = 15_000;
const ROWS = 200;

/** A data folder as a first start leaves it, with some contributions in it. */
export async function prepareData(folder: string): Promise<string> {
  const used = path.join(folder, 'used');
  const server = spawnServer({ DATA_DIR: used });
  await server.url;
  await asOwner(await getDatabaseUrl(used), (client) =>
    client.query(
      `insert into public.interviews (user_id, transcript)
       select user_id, 'Messreihe ' || n from public.user_roles, generate_series(1, $1::int) as n
         where role = 'vdi_admin'`,
      [ROWS],
    ),
  );
  await server.end('SIGTERM');
  return used;
}

export async function startTarget(used: string, env: Headers): Promise<Target> {
  const dataDir = await mkdtemp(`${used}-`);
  await cp(used, dataDir, { recursive: true });
  const server = spawnServer({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...SHIPPED_LIMITS, ...env });
  try {
    return await describeTarget(server, dataDir);
  } catch (error) {
    await server.end('SIGKILL');
    throw error;
  }
}

async function describeTarget(server: ServerProcess, dataDir: string): Promise<Target> {
  const url = await server.url;
  const databaseUrl = await getDatabaseUrl(dataDir);
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const enter = async (role: Role): Promise<Headers> => {
    const { data } = await (await enterAs(url, dataDir, role)).client.auth.getSession();
    return { apikey: supabaseKey, authorization: `Bearer ${data.session?.access_token}` };
  };
  const { child } = server;
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    databaseUrl,
    member: await enter('vdi_admin'),
    attackingMember: await enter('admin'),
    guest: (key = newKey()) => ({ apikey: supabaseKey, 'x-interview-key': key }),
    call: (call) => send(url, call),
    sql: (text, values = []) => asOwner(databaseUrl, async (owner) => (await owner.query(text, [...values])).rows),
    output: server.output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      const took = await stop(server);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
      return took;
    },
  };
}

async function stop(server: ServerProcess): Promise<number | undefined> {
  const begun = performance.now();
  const ended = server.end('SIGTERM').then(() => true);
  if (await Promise.race([ended, wait(PATIENCE_MS, false)])) return performance.now() - begun;
  await server.end('SIGKILL');
  return undefined;
}
