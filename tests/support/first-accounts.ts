import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Role } from '#contract/roles.ts';
import type { TestUser } from './accounts.ts';

type FirstAccount = Readonly<{ role: string; email: string; password: string }>;

/** Signs in to a server process as the first account of that role, which it made at its first start. */
export async function enterAs(
  url: string,
  dataDir: string,
  role: Role,
): Promise<TestUser & { client: SupabaseClient }> {
  const { supabaseKey } = (await (await fetch(`${url}/config.json`)).json()) as { supabaseKey: string };
  const text = await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8');
  const account = (JSON.parse(text) as FirstAccount[]).find((one) => one.role === role);
  if (account === undefined) throw new Error(`no first account is ${role}`);
  const client = createClient(url, supabaseKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data, error } = await client.auth.signInWithPassword(account);
  if (error !== null) throw error;
  return { id: data.user.id, email: account.email, password: account.password, client };
}
