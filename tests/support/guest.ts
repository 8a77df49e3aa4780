import type { SupabaseClient } from '@supabase/supabase-js';
import type { TestServer } from './boot.ts';
import { newKey } from './callers.ts';

export type Guest = Readonly<{ key: string; client: SupabaseClient; contribution: number }>;

/** A contribution begun without a login, and the client that has its key. */
export async function beginAsGuest(server: TestServer): Promise<Guest> {
  const key = newKey();
  const client = server.client({ headers: { 'x-interview-key': key } });
  const { data } = await client.from('interviews').insert({}).select('id').single<{ id: number }>();
  return { key, client, contribution: data?.id ?? 0 };
}
