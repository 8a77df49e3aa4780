import type { SupabaseClient } from '@supabase/supabase-js';
import type { Ledger, Verdict } from './ledger.ts';
import { sha256 } from './writers.ts';

/** What became of each write, by what the official client sees of it. `lost` and `damaged` name their keys. */
export type Check = Readonly<{ acknowledged: number; lost: readonly string[]; damaged: readonly string[] }>;

const FILES_AT_ONCE = 8;
const PAGE = 1_000;

/**
 * Looks for everything the ledger knows, as somebody who may see all of it. Throws where the server does not answer.
 */
export async function checkLedger(ledger: Ledger, admin: SupabaseClient): Promise<Check> {
  const found: Record<'lost' | 'damaged', string[]> = { lost: [], damaged: [] };
  const rows = await readRows(admin);
  const keys = [...ledger.keys()];
  const take = async (): Promise<void> => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const isFile = key.startsWith('file:');
      const content = isFile ? await readFile(admin, key.slice('file:'.length)) : rows.get(key);
      const verdict: Verdict = ledger.judge(key, content);
      if (verdict === 'lost' || verdict === 'damaged') found[verdict].push(key);
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, take));
  return { acknowledged: ledger.acknowledged(), ...found };
}

/** The content of every row, by its key in the ledger. A file that is registered twice counts as damaged. */
async function readRows(admin: SupabaseClient): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, transcript } of readTable(admin, 'interviews', 'id, transcript'))
    if (typeof transcript === 'string') found.set(`row:${id}`, sha256(transcript));
  for await (const { file_path: name } of readTable(admin, 'media_uploads', 'id, file_path')) {
    const key = `registered:${String(name)}`;
    found.set(key, found.has(key) ? 'twice' : String(name));
  }
  return found;
}

type Row = Readonly<{ id: number } & Record<string, unknown>>;

/** By pages, one after another: of large answers a caller may ask for one at a time. */
async function* readTable(admin: SupabaseClient, table: string, columns: string): AsyncGenerator<Row> {
  for (let last = 0, size = PAGE; size === PAGE;) {
    const query = admin.from(table).select(columns).gt('id', last).order('id').limit(PAGE);
    const { data, error } = await query.overrideTypes<Row[], { merge: false }>();
    if (error !== null) throw new Error(`the rows cannot be read: ${error.message}`);
    yield* data;
    size = data.length;
    last = data.at(-1)?.id ?? last;
  }
}

async function readFile(admin: SupabaseClient, name: string): Promise<string | undefined> {
  const { data, error } = await admin.storage.from('Media').download(name);
  if (error === null) return sha256(new Uint8Array(await data.arrayBuffer()));
  if ('status' in error && error.status !== 400 && error.status !== 404) {
    throw new Error(`the files cannot be read: ${error.message}`);
  }
  return undefined;
}
