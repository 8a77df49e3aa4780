import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import {
  applyProject,
  formatName,
  PLAIN_TEXT,
  createSecretBox,
  qualifyName,
  quoteName,
  type Snapshot,
} from '#backend/maintenance.ts';
import { applyRows, describeConflicts, judgeRows, lockTables, type Conflict, type TableVerdict } from './rows.ts';
import { compareAccounts, compareFiles, compareRows, type Compared, type Depth } from './compare.ts';
import { MoveError } from './errors.ts';
import {
  listFileEntries,
  LEDGER,
  planFiles,
  readSourceFiles,
  readTargetFiles,
  type FilePlan,
  type SourceFile,
} from './plan-files.ts';
import { moveBuckets, moveFiles } from './move-files.ts';
import type { Source } from './source.ts';
import { AUTH_TABLES, projectTables, columnList, stagingTable, type MovedTable } from './tables.ts';
import { checkColumns, checkRights, checkSameProject, type Target, type Queries } from './target.ts';

/** Progress of a run. */
export type Step =
  | Readonly<{ kind: 'planned'; plan: Plan }>
  | Readonly<{ kind: 'rows-moved' }>
  | Readonly<{ kind: 'buckets-moved'; names: readonly string[] }>
  | Readonly<{ kind: 'file-moved'; done: number; total: number }>;

export type Plan = Readonly<{
  migrations: readonly string[];
  tables: readonly TableVerdict[];
  files: FilePlan;
  /** Mails that stay at the source, because a server may be sending them. */
  countWaitingMails: number;
}>;

export type Run = Readonly<{
  source: Source;
  target: Target;
  signal: AbortSignal;
  onStep: (step: Step) => void;
  /** Words one line about rows or files that a move must not overwrite. */
  describe: (found: Conflict) => string;
}>;

export type Moved = Readonly<{ compared: readonly Compared[]; missing: readonly string[] }>;

/** Changes nothing on either side. */
export async function dryRun(run: Run): Promise<void> {
  await withPlan(run, 'look', async ({ plan, refuse }) => {
    run.onStep({ kind: 'planned', plan });
    await refuse();
  });
}

/** Moves everything. May be repeated at any time: it then moves what has changed at the source since. */
export async function move(run: Run): Promise<Moved> {
  const { source, target, signal, onStep } = run;
  const prepared = await withPlan(run, 'move', async ({ plan, refuse, apply }) => {
    onStep({ kind: 'planned', plan });
    await refuse();
    await apply();
  });
  onStep({ kind: 'rows-moved' });
  await checkSameProject(target);
  const names = await moveBuckets(source.snapshot, target);
  onStep({ kind: 'buckets-moved', names });
  const progress = (done: number, total: number): void => onStep({ kind: 'file-moved', done, total });
  const missing = await moveFiles({ target, reader: source.files, plan: prepared.plan.files, signal, progress });
  return { compared: await compareAll(run, prepared, 'sums'), missing };
}

/** Compares both sides, every byte included. Throws MoveError `not_moved` before the first move. */
export async function compare(run: Run): Promise<readonly Compared[]> {
  const { rows } = await run.target.db.query(`select to_regclass('moved_here.rows') is null as none`);
  if (rows[0]?.['none'] === true) throw new MoveError('not_moved');
  let result: readonly Compared[] = [];
  await withPlan(run, 'look', async (prepared) => {
    result = await compareAll(run, prepared, 'every byte');
  });
  return result;
}

type Prepared = Readonly<{ plan: Plan; tables: readonly MovedTable[]; files: readonly SourceFile[] }>;
type Deciding = Prepared & Readonly<{ refuse: () => Promise<void>; apply: () => Promise<void> }>;

/**
 * Works in one transaction, migrations included, so a failure or a kill changes nothing in the database. A look is
 * rolled back.
 */
async function withPlan(
  run: Run,
  purpose: 'look' | 'move',
  decide: (deciding: Deciding) => Promise<void>,
): Promise<Prepared> {
  const { source, target, signal } = run;
  const { db, client } = target;
  try {
    await checkRights(db, AUTH_TABLES);
    await checkSameProject(target);
    await db.query('begin');
    const migrations = await applyProject(client, source.installation.plan);
    await db.query(PLAIN_TEXT);
    await db.query('set row_security = off');
    await db.query(LEDGER);
    const tables = [...AUTH_TABLES, ...(await projectTables(source.snapshot, source.state))];
    await stageRows(source.snapshot, target, tables, signal);
    if (purpose === 'move') await lockTables(db, tables);
    const verdicts = await judgeRows(db, tables);
    const files = await readSourceFiles(source.snapshot);
    const filePlan = planFiles({ source: files, target: await readTargetFiles(db), ledger: await listFileEntries(db) });
    const plan = { migrations, tables: verdicts, files: filePlan, countWaitingMails: await countWaitingMails(source) };
    await decide({
      plan,
      tables,
      files,
      refuse: () => refuseConflicts(run, plan),
      apply: () => applyRows(db, verdicts, source.snapshot),
    });
    await db.query(purpose === 'move' ? 'commit' : 'rollback');
    return { plan, tables, files };
  } catch (error) {
    await db.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function refuseConflicts({ target, describe }: Run, { tables, files }: Plan): Promise<void> {
  const lines = await describeConflicts(target.db, tables, describe);
  for (const [kind, names] of Object.entries(files.strange))
    if (names.length > 0) lines.push(describe({ kind, where: 'files', count: names.length, names: names.slice(0, 5) }));
  if (lines.length > 0) throw new MoveError('not_ours', lines.join('\n'));
}

async function compareAll({ source, target }: Run, prepared: Prepared, depth: Depth): Promise<Compared[]> {
  const rows = await compareRows(target, prepared.tables);
  const accounts = await compareAccounts(target, prepared.tables);
  const files = await compareFiles({ target, reader: source.files, files: prepared.files, depth });
  return [accounts, ...rows, files];
}

async function countWaitingMails({ snapshot, state }: Source): Promise<number> {
  if (state === 'stopped' || !snapshot.tables.some((table) => formatName(table) === 'private.desk_mails')) return 0;
  const [row] = await snapshot.rows<{ count: string }>(
    `select count(*) from private.desk_mails where state in ('waiting', 'claimed', 'sending')`,
  );
  return Number(row?.count ?? 0);
}

/** Copies the source's rows into temporary tables of the target's session; SQL does the rest there. */
async function stageRows(
  snapshot: Snapshot,
  { db, client }: Target,
  tables: readonly MovedTable[],
  signal: AbortSignal,
): Promise<void> {
  for (const [place, table] of tables.entries()) {
    await checkColumns(db, table);
    const columns = columnList(table.columns);
    const read = table.columns.map((column) => table.read[column] ?? quoteName(column)).join(', ');
    await db.query(`drop table if exists ${stagingTable(place)}`);
    await db.query(`create temp table moving_${place} as select ${columns} from ${qualifyName(table)} with no data`);
    const rows = snapshot.copyAnswer(`select ${read} from ${qualifyName(table)} where ${table.rows}`);
    const into = client.query(from(`copy ${stagingTable(place)} (${columns}) from stdin`));
    await pipeline(rows, into, { signal });
    if (formatName(table) === 'auth.mfa_factors') await decryptSecrets(snapshot, db, stagingTable(place));
    await db.query(`analyze ${stagingTable(place)}`);
  }
}

/**
 * Decrypts the secrets of authenticator apps, because only this installation has the key. Upstream reads plain secrets
 * and encrypts them with its own key where that is configured.
 */
async function decryptSecrets(snapshot: Snapshot, db: Queries, table: string): Promise<void> {
  const [keys] = await snapshot.rows<{ url: string }>(
    `select value ->> 'url' as url from _backend.secrets where name = 'keys'`,
  );
  if (keys === undefined) return;
  const box = createSecretBox(Buffer.from(keys.url, 'base64url'));
  const { rows } = await db.query<{ id: string; secret: string }>(
    `select id, secret from ${table} where factor_type = 'totp' and starts_with(secret, '{')`,
  );
  for (const { id, secret } of rows)
    await db.query(`update ${table} set secret = $2 where id = $1`, [id, box.open(id, secret)]);
}
