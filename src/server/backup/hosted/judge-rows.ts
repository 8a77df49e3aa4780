import { formatName, qualifyName, quoteName } from '#backend/maintenance.ts';
import { keySql, type MovedTable, stagingTable, sumSql } from './tables.ts';
import type { Queries } from './target.ts';

/** Numbers of rows by verdict, from both sides and the ledger. `gone`: removed at the target since the last move. */
export type Counts = Readonly<Record<'insert' | 'update' | 'delete' | 'same' | 'foreign' | 'changed' | 'gone', number>>;

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
export async function findExamples(
  db: Queries,
  { table, place }: TableVerdict,
  verdict: keyof Counts,
): Promise<string[]> {
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
