import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createDatabase } from './database.ts';
import { spawnServer } from './process.ts';

/** A real server process with a contribution of its own, as an uploading browser sees it. */
export type UploadTarget = Readonly<{
  url: string;
  headers: Record<string, string>;
  objectName: string;
  dataDir: string;
  killAndRestart: () => Promise<Readonly<{ url: string; headers: Record<string, string>; stop: () => Promise<void> }>>;
}>;

export async function spawnTestServer(): Promise<UploadTarget> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-resume-'));
  const database = await createDatabase('migrated');
  const start = () => spawnServer({ DATA_DIR: dataDir, DATABASE_URL: database.url });
  const first = start();
  const url = await first.url;
  const login = async (server: string): Promise<{ headers: Record<string, string>; client: SupabaseClient }> => {
    const config = (await (await fetch(`${server}/config.json`)).json()) as { supabaseKey: string };
    const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as {
      email: string;
      password: string;
    }[];
    const client = createClient(server, config.supabaseKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const { data } = await client.auth.signInWithPassword(accounts[1] ?? { email: '', password: '' });
    return { client, headers: { apikey: config.supabaseKey, authorization: `Bearer ${data.session?.access_token}` } };
  };
  const { headers, client } = await login(url);
  const row = await client.from('interviews').insert({}).select('id').single<{ id: number }>();
  if (row.error) throw new Error(row.error.message);
  return {
    url,
    headers,
    dataDir,
    objectName: `${row.data.id}/1_${'b'.repeat(32)}.bin`,
    killAndRestart: async () => {
      await first.end('SIGKILL');
      const second = start();
      const again = await second.url;
      const stop = async (): Promise<void> => {
        await second.end('SIGTERM');
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      };
      return { url: again, headers: (await login(again)).headers, stop };
    },
  };
}
