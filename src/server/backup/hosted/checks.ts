import { fullName, qualified } from '#backend/maintenance.ts';
import { MoveFault } from './faults.ts';
import type { MovedTable } from './moved-table.ts';
import type { Queries } from './queries.ts';
import type { Target } from './target.ts';
import { examples, type Counts, type TableVerdict } from './verdicts.ts';

/** Whether we may write where we are going to, and nobody else acts on it. Throws MoveFault. */
export async function checkRights(db: Queries, tables: readonly MovedTable[]): Promise<void> {
  const accounts = tables.filter(({ schema }) => schema === 'auth').map(qualified);
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass(name) is null
       or not has_table_privilege(name, 'select') or not has_table_privilege(name, 'insert')
       or not has_table_privilege(name, 'update') or not has_table_privilege(name, 'delete')`,
    [accounts],
  );
  if (rows.length > 0) throw new MoveFault('rights_missing', rows.map(({ name }) => name).join(', '));
  const triggers = await db.query<{ name: string }>(
    `select format('%s (%s)', tgname, tgrelid::regclass) as name from pg_trigger
     where not tgisinternal and tgenabled <> 'D' and tgrelid = any ($1::regclass[])`,
    [accounts],
  );
  if (triggers.rows.length > 0) throw new MoveFault('auth_triggers', triggers.rows.map(({ name }) => name).join(', '));
}

/** That SUPABASE_URL and SUPABASE_DB_URL are the same project, by the moment at which its bucket was made. */
export async function checkSameProject({ db, supabase }: Target): Promise<void> {
  const { rows } = await db.query<{ id: string; made: Date }>('select id, created_at as made from storage.buckets');
  for (const { id, made } of rows) {
    const { data, error } = await supabase.storage.getBucket(id);
    // Where one rounds, the other may cut off.
    if (error !== null || Math.abs(new Date(data.created_at).getTime() - made.getTime()) > 1)
      throw new MoveFault('other_project', id, { cause: error });
  }
}

const REFUSED: readonly (keyof Counts)[] = ['foreign', 'changed', 'gone'];

/** One line for each kind of row that is not ours to touch. */
export async function strangers(
  db: Queries,
  verdicts: readonly TableVerdict[],
  say: (found: Stranger) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (const verdict of verdicts) {
    for (const kind of REFUSED) {
      const count = verdict.counts[kind];
      if (count === 0) continue;
      const names = await examples(db, verdict, kind);
      lines.push(say({ kind, where: fullName(verdict.table), count, names }));
    }
  }
  return lines;
}

export type Stranger = Readonly<{
  kind: string;
  where: string;
  count: number;
  names: readonly string[];
}>;
