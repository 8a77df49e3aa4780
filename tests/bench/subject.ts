import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { SHIPPED_LIMITS } from '#tests/support/time-limits.ts';

/** The server under measurement: a process of its own with its own embedded PostgreSQL and fresh first accounts. */
export type Subject = Readonly<{
  url: string;
  pid: number;
  dataDir: string;
  key: string;
  account: Readonly<{ email: string; password: string }>;
  /** The first account of a role. */
  findAccount: (role: string) => Readonly<{ email: string; password: string }>;
  client: SupabaseClient;
  accessToken: string;
  userId: string;
  /** Milliseconds from the process's start to its first healthy answer. */
  startMs: number;
  /** Everything the process printed. */
  output: () => string;
  restart: () => Promise<number>;
  stop: () => Promise<void>;
}>;

type Account = Readonly<{ email: string; password: string; role: string }>;

/** `env` joins the server's environment. */
export async function startSubject(env: Readonly<Record<string, string>> = {}): Promise<Subject> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-bench-'));
  let server = await healthy(dataDir, env);
  const startMs = server.ms;
  const url = await server.process.url;
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as Account[];
  const findAccount = (wanted: string): Subject['account'] =>
    accounts.find(({ role }) => role === wanted) ?? { email: '', password: '' };
  const account = findAccount('vdi_admin');
  const client = createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data, error } = await client.auth.signInWithPassword(account);
  if (error) throw error;
  return {
    url,
    pid: server.process.child.pid ?? 0,
    dataDir,
    key: supabaseKey,
    account,
    findAccount,
    client,
    accessToken: data.session.access_token,
    userId: data.user.id,
    startMs,
    output: () => server.process.output(),
    restart: async () => {
      await server.process.end('SIGTERM');
      server = await healthy(dataDir, env);
      return server.ms;
    },
    stop: async () => {
      await server.process.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function healthy(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<{ process: ServerProcess; ms: number }> {
  const begun = performance.now();
  const process = spawnServer({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    TRUST_PROXY: 'true',
    ...SHIPPED_LIMITS,
    ...env,
  });
  const url = await process.url;
  const answer = await fetch(`${url}/health`);
  if (!answer.ok) throw new Error(`the server is not healthy: ${await answer.text()}`);
  return { process, ms: performance.now() - begun };
}

/** Resident memory of a process in MiB before it is given work; `memory` then tells the peak of that work alone. */
export async function memoryBefore(pid: number): Promise<number> {
  // proc(5): 5 makes the peak what is resident now. Otherwise it is that of the whole bench.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  return (await memory(pid)).now;
}

/** Resident memory of a process in MiB: now, and the most it ever had, or has had since `memoryBefore`. */
export async function memory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
