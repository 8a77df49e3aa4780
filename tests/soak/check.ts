import type { SupabaseClient } from '@supabase/supabase-js';
import type { Ledger, Verdict } from './ledger.ts';
import { sha256 } from './writers.ts';

/** What became of each write, by what the official client sees of it. `lost` and `damaged` name their keys. */
export type Check = Readonly<{ acknowledged: number; lost: readonly string[]; damaged: readonly string[] }>;

const AT_ONCE = 8;

/**
 * Looks for everything the ledger knows, as somebody who may see all of it. Throws where the server does not answer.
 */
export async function checkLedger(ledger: Ledger, admin: SupabaseClient): Promise<Check> {
  const found: Record<'lost' | 'damaged', string[]> = { lost: [], damaged: [] };
  const keys = [...ledger.keys()];
  const take = async (): Promise<void> => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const verdict: Verdict = ledger.judge(key, await readContent(admin, key));
      if (verdict === 'lost' || verdict === 'damaged') found[verdict].push(key);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return { acknowledged: ledger.acknowledged(), ...found };
}

async function readContent(admin: SupabaseClient, key: string): Promise<string | undefined> {
  const [kind = '', name = ''] = key.split(':');
  if (kind === 'row') {
    const { data, error } = await admin.from('interviews').select('transcript').eq('id', name);
    if (error !== null) throw new Error(`the rows cannot be read: ${error.message}`);
    const transcript: unknown = data[0]?.transcript;
    return typeof transcript === 'string' ? sha256(transcript) : undefined;
  }
  if (kind === 'registered') {
    const { data, error } = await admin.from('media_uploads').select('file_path').eq('file_path', name);
    if (error !== null) throw new Error(`the rows cannot be read: ${error.message}`);
    return data.length === 1 ? name : undefined;
  }
  const { data, error } = await admin.storage.from('Media').download(name);
  if (error === null) return sha256(new Uint8Array(await data.arrayBuffer()));
  if ('status' in error && error.status !== 400 && error.status !== 404) {
    throw new Error(`the files cannot be read: ${error.message}`);
  }
  return undefined;
}
