import { applyProject, formatName, PLAIN_TEXT } from '#backend/maintenance.ts';
import { applyRows, lockTables } from './apply-rows.ts';
import { compareAccounts, type Compared, compareFiles, compareRows, type Depth } from './compare.ts';
import { MoveError } from './errors.ts';
import { type Conflict, describeConflicts, judgeRows, type TableVerdict } from './judge-rows.ts';
import { closeLedger, listFileEntries, openLedger } from './ledger.ts';
import { moveBuckets, moveFiles } from './move-files.ts';
import { type FilePlan, planFiles, type SourceFile, readSourceFiles, readTargetFiles } from './plan-files.ts';
import type { Source } from './source.ts';
import { stageRows } from './stage-rows.ts';
import { AUTH_TABLES, type MovedTable, projectTables } from './tables.ts';
import { checkRights, checkSameProject, type Target } from './target.ts';

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
    return 'forget';
  });
}

/** Moves everything. May be repeated at any time: it then moves what has changed at the source since. */
export async function move(run: Run): Promise<Moved> {
  const { source, target, signal, onStep } = run;
  const prepared = await withPlan(run, 'move', async ({ plan, refuse, apply }) => {
    onStep({ kind: 'planned', plan });
    await refuse();
    await apply();
    return 'keep';
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
    return 'forget';
  });
  return result;
}

/** Ends the move and removes the ledger at the target. */
export async function finish({ db }: Target): Promise<void> {
  await closeLedger(db);
}

type Prepared = Readonly<{ plan: Plan; tables: readonly MovedTable[]; files: readonly SourceFile[] }>;
type Deciding = Prepared & Readonly<{ refuse: () => Promise<void>; apply: () => Promise<void> }>;

/** Works in one transaction, migrations included, so a failure or a kill changes nothing in the database. */
async function withPlan(
  run: Run,
  purpose: 'look' | 'move',
  decide: (deciding: Deciding) => Promise<'keep' | 'forget'>,
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
    await openLedger(db);
    const tables = [...AUTH_TABLES, ...(await projectTables(source.snapshot, source.state))];
    await stageRows(source.snapshot, target, tables, signal);
    if (purpose === 'move') await lockTables(db, tables);
    const verdicts = await judgeRows(db, tables);
    const files = await readSourceFiles(source.snapshot);
    const filePlan = planFiles({ source: files, target: await readTargetFiles(db), ledger: await listFileEntries(db) });
    const plan = { migrations, tables: verdicts, files: filePlan, countWaitingMails: await countWaitingMails(source) };
    const decision = await decide({
      plan,
      tables,
      files,
      refuse: () => refuseConflicts(run, plan),
      apply: () => applyRows(db, verdicts, source.snapshot),
    });
    await db.query(decision === 'keep' ? 'commit' : 'rollback');
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
