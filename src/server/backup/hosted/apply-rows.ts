import { formatName, qualifyName, quoteName, type Snapshot } from '#backend/maintenance.ts';
import { keySql, columnList, stagingTable, type MovedTable } from './tables.ts';
import type { Queries } from './target.ts';
import type { Counts, TableVerdict } from './judge-rows.ts';

/**
 * Applies the verdicts in the open transaction. No trigger of the project fires, because the rows that triggers make
 * (mails, events of the desk) move as rows. Foreign keys are checked.
 */
export async function applyRows(db: Queries, verdicts: readonly TableVerdict[], snapshot: Snapshot): Promise<void> {
  const touched = verdicts.filter(({ counts }) => counts.insert + counts.update + counts.delete > 0);
  const enableTriggers = await disableTriggers(
    db,
    touched.map(({ table }) => table),
  );
  for (const verdict of touched.toReversed()) await deleteRows(db, verdict);
  for (const verdict of touched) await insertAndUpdate(db, verdict);
  for (const sql of enableTriggers) await db.query(sql);
  for (const verdict of verdicts) await noteRows(db, verdict);
  await advanceSequences(db, snapshot);
}

/** Keeps other writers out until the end of the transaction, so the verdicts stay true. */
export async function lockTables(db: Queries, tables: readonly MovedTable[]): Promise<void> {
  const own = tables.filter(({ schema }) => schema !== 'auth').map(qualifyName);
  await db.query(`set local lock_timeout = '20s'`);
  await db.query(`lock table ${own.join(', ')} in share row exclusive mode`);
}

const TRIGGERS = `
  select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as off,
    format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as on
  from pg_trigger where not tgisinternal and tgenabled = 'O' and tgrelid = any ($1::regclass[]) order by oid`;

/** Returns the statements that enable them again; a transaction that fails before rolls the change back. */
async function disableTriggers(db: Queries, tables: readonly MovedTable[]): Promise<string[]> {
  const own = tables.filter(({ schema }) => schema !== 'auth').map(qualifyName);
  const { rows } = await db.query<{ off: string; on: string }>(TRIGGERS, [own]);
  for (const { off } of rows) await db.query(off);
  return rows.map((row) => row.on);
}

const selectKeys = (verdict: keyof Counts, place: number): string =>
  `select key from pg_temp.verdicts where place = ${place} and verdict = '${verdict}'`;

async function deleteRows(db: Queries, { table, place, counts }: TableVerdict): Promise<void> {
  if (counts.delete === 0) return;
  await db.query(`delete from ${qualifyName(table)} where ${keySql(table)} in (${selectKeys('delete', place)})`);
}

async function insertAndUpdate(db: Queries, { table, place, counts }: TableVerdict): Promise<void> {
  const given = Object.entries(table.given);
  const into = columnList([...table.columns, ...given.map(([name]) => name)]);
  const values = [columnList(table.columns), ...given.map(([, sql]) => sql)].join(', ');
  if (counts.insert > 0)
    await db.query(`
      insert into ${qualifyName(table)} (${into}) overriding system value
      select ${values} from ${stagingTable(place)} where ${keySql(table)} in (${selectKeys('insert', place)})`);
  const others = table.columns.filter((column) => !table.key.includes(column));
  if (counts.update > 0 && others.length > 0)
    await db.query(`
      update ${qualifyName(table)} as there
      set ${others.map((column) => `${quoteName(column)} = ours.${quoteName(column)}`).join(', ')}
      from ${stagingTable(place)} as ours
      where ${table.key.map((column) => `there.${quoteName(column)} = ours.${quoteName(column)}`).join(' and ')}
        and row(${table.key.map((column) => `ours.${quoteName(column)}`).join(', ')})::text in (${selectKeys('update', place)})`);
}

async function noteRows(db: Queries, { table, place }: TableVerdict): Promise<void> {
  await db.query(
    `insert into moved_here.rows as r ("table", key, sum)
     select $1, key, sum from pg_temp.verdicts where place = ${place} and verdict in ('insert', 'update', 'same')
     on conflict ("table", key) do update set sum = excluded.sum where r.sum <> excluded.sum`,
    [formatName(table)],
  );
  // Rows that neither side has any more.
  await db.query(
    `delete from moved_here.rows as r where r."table" = $1
       and not exists (select from ${stagingTable(place)} where ${keySql(table)} = r.key)`,
    [formatName(table)],
  );
}

/** Moves no sequence back: the target may have used it already. */
async function advanceSequences(db: Queries, snapshot: Snapshot): Promise<void> {
  for (const { schema, name, value, called } of await snapshot.sequences()) {
    if (schema !== 'public' && schema !== 'private') continue;
    const sequence = qualifyName({ schema, name });
    await db.query(
      `select setval($1::regclass, $2::bigint, $3::boolean) from ${sequence}
       where (last_value, is_called) < ($2::bigint, $3::boolean)`,
      [sequence, value, called],
    );
  }
}
