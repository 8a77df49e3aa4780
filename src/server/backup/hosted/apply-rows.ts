import { fullName, qualified, quoted, type Snapshot } from '#backend/maintenance.ts';
import { keyOf, list, staged, type MovedTable } from './moved-table.ts';
import type { Queries } from './queries.ts';
import type { Counts, TableVerdict } from './verdicts.ts';

/**
 * Does what was judged, in the transaction that is open. No trigger of ours fires: mails, lines of the desk and everything
 * else that triggers make are rows that move themselves. Foreign keys are checked.
 */
export async function applyRows(db: Queries, verdicts: readonly TableVerdict[], snapshot: Snapshot): Promise<void> {
  const touched = verdicts.filter(({ counts }) => counts.insert + counts.update + counts.delete > 0);
  const wakeUp = await quieten(
    db,
    touched.map(({ table }) => table),
  );
  for (const verdict of touched.toReversed()) await remove(db, verdict);
  for (const verdict of touched) await put(db, verdict);
  for (const sql of wakeUp) await db.query(sql);
  for (const verdict of verdicts) await note(db, verdict);
  await advanceSequences(db, snapshot);
}

/** Until the end of the transaction nobody else writes: what is judged is what is there. */
export async function holdRows(db: Queries, tables: readonly MovedTable[]): Promise<void> {
  const own = tables.filter(({ schema }) => schema !== 'auth').map(qualified);
  await db.query(`set local lock_timeout = '20s'`);
  await db.query(`lock table ${own.join(', ')} in share row exclusive mode`);
}

const TRIGGERS = `
  select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as off,
    format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as on
  from pg_trigger where not tgisinternal and tgenabled = 'O' and tgrelid = any ($1::regclass[]) order by oid`;

/** Returns what puts the triggers back; where it never comes to that, the transaction ends as if nothing had been. */
async function quieten(db: Queries, tables: readonly MovedTable[]): Promise<string[]> {
  const own = tables.filter(({ schema }) => schema !== 'auth').map(qualified);
  const { rows } = await db.query<{ off: string; on: string }>(TRIGGERS, [own]);
  for (const { off } of rows) await db.query(off);
  return rows.map((row) => row.on);
}

const JUDGED = (verdict: keyof Counts, place: number): string =>
  `select key from pg_temp.verdicts where place = ${place} and verdict = '${verdict}'`;

async function remove(db: Queries, { table, place, counts }: TableVerdict): Promise<void> {
  if (counts.delete === 0) return;
  await db.query(`delete from ${qualified(table)} where ${keyOf(table)} in (${JUDGED('delete', place)})`);
}

async function put(db: Queries, { table, place, counts }: TableVerdict): Promise<void> {
  const given = Object.entries(table.given);
  const into = list([...table.columns, ...given.map(([name]) => name)]);
  const values = [list(table.columns), ...given.map(([, sql]) => sql)].join(', ');
  if (counts.insert > 0)
    await db.query(`
      insert into ${qualified(table)} (${into}) overriding system value
      select ${values} from ${staged(place)} where ${keyOf(table)} in (${JUDGED('insert', place)})`);
  const others = table.columns.filter((column) => !table.key.includes(column));
  if (counts.update > 0 && others.length > 0)
    await db.query(`
      update ${qualified(table)} as there
      set ${others.map((column) => `${quoted(column)} = ours.${quoted(column)}`).join(', ')}
      from ${staged(place)} as ours
      where ${table.key.map((column) => `there.${quoted(column)} = ours.${quoted(column)}`).join(' and ')}
        and row(${table.key.map((column) => `ours.${quoted(column)}`).join(', ')})::text in (${JUDGED('update', place)})`);
}

async function note(db: Queries, { table, place }: TableVerdict): Promise<void> {
  await db.query(
    `insert into moved_here.rows as r ("table", key, sum)
     select $1, key, sum from pg_temp.verdicts where place = ${place} and verdict in ('insert', 'update', 'same')
     on conflict ("table", key) do update set sum = excluded.sum where r.sum <> excluded.sum`,
    [fullName(table)],
  );
  // What both sides have taken away.
  await db.query(
    `delete from moved_here.rows as r where r."table" = $1
       and not exists (select from ${staged(place)} where ${keyOf(table)} = r.key)`,
    [fullName(table)],
  );
}

/** Never back: over there somebody may have begun. */
async function advanceSequences(db: Queries, snapshot: Snapshot): Promise<void> {
  for (const { schema, name, value, called } of await snapshot.sequences()) {
    if (schema !== 'public' && schema !== 'private') continue;
    const sequence = qualified({ schema, name });
    await db.query(
      `select setval($1::regclass, $2::bigint, $3::boolean) from ${sequence}
       where (last_value, is_called) < ($2::bigint, $3::boolean)`,
      [sequence, value, called],
    );
  }
}
