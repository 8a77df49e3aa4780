import { formatName, qualifyName, quoteName, type Snapshot } from '#backend/maintenance.ts';
import { columnList, keySql, stagingTable, sumSql, type MovedTable } from './tables.ts';
import type { Queries } from './target.ts';

/** Numbers of rows by verdict, from both sides and the ledger. `gone`: removed at the target since the last move. */
type Counts = Readonly<Record<'insert' | 'update' | 'delete' | 'same' | 'foreign' | 'changed' | 'gone', number>>;

export type TableVerdict = Readonly<{ table: MovedTable; place: number; counts: Counts }>;

/** Compares every row again. */
export async function judgeRows(db: Queries, tables: readonly MovedTable[]): Promise<TableVerdict[]> {
  await db.query('drop table if exists pg_temp.verdicts');
  await db.query('create temp table verdicts (place integer, key text, sum text, verdict text)');
  for (const [place, table] of tables.entries()) await db.query(judgeTableSql(place, table), [formatName(table)]);
  await db.query('create index on pg_temp.verdicts (place, verdict, key)');
  await db.query('analyze pg_temp.verdicts');
  const { rows } = await db.query<{ place: number; verdict: keyof Counts; count: string }>(
    `select place, verdict, count(*) from pg_temp.verdicts where verdict <> 'left' group by 1, 2`,
  );
  return tables.map((table, place) => {
    const counted = rows.filter((row) => row.place === place).map(({ verdict, count }) => [verdict, Number(count)]);
    return { table, place, counts: { ...NONE, ...(Object.fromEntries(counted) as Partial<Counts>) } };
  });
}

const NONE: Counts = { insert: 0, update: 0, delete: 0, same: 0, foreign: 0, changed: 0, gone: 0 };

function judgeTableSql(place: number, table: MovedTable): string {
  const [key, sum] = [keySql(table), sumSql(table)];
  const unknown = table.seeded
    ? { there: `'left'`, differs: `'update'` }
    : { there: `'foreign'`, differs: `'foreign'` };
  return `
    insert into pg_temp.verdicts (place, key, sum, verdict)
    select ${place}, key, ours.sum, case
      when ours.sum is null and l.key is null then ${unknown.there}
      when ours.sum is null and l.sum = theirs.sum then 'delete'
      when ours.sum is null then 'changed'
      when theirs.sum is null and l.key is null then 'insert'
      when theirs.sum is null then 'gone'
      when ours.sum = theirs.sum then 'same'
      when l.key is null then ${unknown.differs}
      when l.sum = theirs.sum then 'update'
      else 'changed'
    end
    from (select ${key} as key, ${sum} as sum from ${stagingTable(place)}) as ours
    full join (select ${key} as key, ${sum} as sum from ${qualifyName(table)} where ${table.counts}) as theirs using (key)
    left join (select key, sum from moved_here.rows where "table" = $1) as l using (key)`;
}

const EXAMPLES = 5;

/** Names some rows for the operator: accounts by their address, other rows by their key. */
async function findExamples(db: Queries, { table, place }: TableVerdict, verdict: keyof Counts): Promise<string[]> {
  const name = formatName(table) === 'auth.users' ? 'coalesce(t.email, t.phone, t.id::text)' : 'v.key';
  const { rows } = await db.query<{ name: string }>(
    `select ${name} as name from pg_temp.verdicts as v
     left join ${qualifyName(table)} as t on row(${table.key.map((column) => `t.${quoteName(column)}`).join(', ')})::text = v.key
     where v.place = $1 and v.verdict = $2 order by 1 limit ${EXAMPLES}`,
    [place, verdict],
  );
  return rows.map((row) => row.name);
}

const REFUSED: readonly (keyof Counts)[] = ['foreign', 'changed', 'gone'];

/** Words a line for each kind of row that a move must not overwrite. */
export async function describeConflicts(
  db: Queries,
  verdicts: readonly TableVerdict[],
  describe: (found: Conflict) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (const verdict of verdicts) {
    for (const kind of REFUSED) {
      const count = verdict.counts[kind];
      if (count === 0) continue;
      const names = await findExamples(db, verdict, kind);
      lines.push(describe({ kind, where: formatName(verdict.table), count, names }));
    }
  }
  return lines;
}

export type Conflict = Readonly<{
  kind: string;
  where: string;
  count: number;
  names: readonly string[];
}>;

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
