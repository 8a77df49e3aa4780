import { applyProject, fullName, PLAIN_TEXT } from '#backend/maintenance.ts';
import { AUTH_TABLES } from './auth-tables.ts';
import { applyRows, holdRows } from './apply-rows.ts';
import { moveBuckets } from './buckets.ts';
import { checkRights, checkSameProject, strangers, type Stranger } from './checks.ts';
import { compareAccounts } from './compare-accounts.ts';
import { compareFiles, compareRows, type Compared, type Depth } from './compare.ts';
import { MoveFault } from './faults.ts';
import { planFiles, sourceFiles, targetFiles, type FilePlan, type SourceFile } from './file-plan.ts';
import { closeLedger, fileEntries, openLedger } from './ledger.ts';
import { moveFiles } from './move-files.ts';
import type { MovedTable } from './moved-table.ts';
import { projectTables } from './project-tables.ts';
import type { Source } from './source.ts';
import { stageRows } from './stage.ts';
import type { Target } from './target.ts';
import { judgeRows, type TableVerdict } from './verdicts.ts';

/** What a run tells while it works. */
export type Step =
  | Readonly<{ kind: 'planned'; plan: Plan }>
  | Readonly<{ kind: 'rows-moved' }>
  | Readonly<{ kind: 'buckets-moved'; names: readonly string[] }>
  | Readonly<{ kind: 'file-moved'; done: number; total: number }>;

export type Plan = Readonly<{
  migrations: readonly string[];
  tables: readonly TableVerdict[];
  files: FilePlan;
  /** Mails that wait here and stay, because a server may be sending them. */
  mailsHeldBack: number;
}>;

export type Run = Readonly<{
  source: Source;
  target: Target;
  signal: AbortSignal;
  tell: (step: Step) => void;
  /** One line about rows or files that are not ours to touch. */
  describe: (found: Stranger) => string;
}>;

export type Moved = Readonly<{ compared: readonly Compared[]; missing: readonly string[] }>;

/** Only looks. Nothing is changed on either side. */
export async function dryRun(run: Run): Promise<void> {
  await withPlan(run, 'look', async ({ plan, refuse }) => {
    run.tell({ kind: 'planned', plan });
    await refuse();
    return 'forget';
  });
}

/** Moves everything. May be repeated at any time: what is there already stays, what has changed here follows. */
export async function move(run: Run): Promise<Moved> {
  const { source, target, signal, tell } = run;
  const prepared = await withPlan(run, 'move', async ({ plan, refuse, apply }) => {
    tell({ kind: 'planned', plan });
    await refuse();
    await apply();
    return 'keep';
  });
  tell({ kind: 'rows-moved' });
  await checkSameProject(target);
  const names = await moveBuckets(source.snapshot, target);
  tell({ kind: 'buckets-moved', names });
  const progress = (done: number, total: number): void => tell({ kind: 'file-moved', done, total });
  const missing = await moveFiles({ target, reader: source.files, plan: prepared.plan.files, signal, progress });
  return { compared: await compared(run, prepared, 'sums'), missing };
}

/** Looks at everything again, every byte included. Throws MoveFault `not_moved` where nothing was moved yet. */
export async function compare(run: Run): Promise<readonly Compared[]> {
  const { rows } = await run.target.db.query(`select to_regclass('moved_here.rows') is null as none`);
  if (rows[0]?.['none'] === true) throw new MoveFault('not_moved');
  let result: readonly Compared[] = [];
  await withPlan(run, 'look', async (prepared) => {
    result = await compared(run, prepared, 'every byte');
    return 'forget';
  });
  return result;
}

/** Ends the move: what was noted over there goes. */
export async function finish({ db }: Target): Promise<void> {
  await closeLedger(db);
}

type Prepared = Readonly<{ plan: Plan; tables: readonly MovedTable[]; files: readonly SourceFile[] }>;
type Deciding = Prepared & Readonly<{ refuse: () => Promise<void>; apply: () => Promise<void> }>;

/** Everything of the database in one transaction, migrations included: whatever fails, or whoever is killed, nothing has been. */
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
    const tables = [...AUTH_TABLES, ...(await projectTables(source.snapshot, source.life))];
    await stageRows(source.snapshot, target, tables, signal);
    if (purpose === 'move') await holdRows(db, tables);
    const verdicts = await judgeRows(db, tables);
    const files = await sourceFiles(source.snapshot);
    const filePlan = planFiles({ source: files, target: await targetFiles(db), ledger: await fileEntries(db) });
    const plan = { migrations, tables: verdicts, files: filePlan, mailsHeldBack: await mailsHeldBack(source) };
    const decision = await decide({
      plan,
      tables,
      files,
      refuse: () => refuseStrangers(run, plan),
      apply: () => applyRows(db, verdicts, source.snapshot),
    });
    await db.query(decision === 'keep' ? 'commit' : 'rollback');
    return { plan, tables, files };
  } catch (error) {
    await db.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function refuseStrangers({ target, describe }: Run, { tables, files }: Plan): Promise<void> {
  const lines = await strangers(target.db, tables, describe);
  for (const [kind, names] of Object.entries(files.strange))
    if (names.length > 0) lines.push(describe({ kind, where: 'files', count: names.length, names: names.slice(0, 5) }));
  if (lines.length > 0) throw new MoveFault('not_ours', lines.join('\n'));
}

async function compared({ source, target }: Run, prepared: Prepared, depth: Depth): Promise<Compared[]> {
  const rows = await compareRows(target, prepared.tables);
  const accounts = await compareAccounts(target, prepared.tables);
  const files = await compareFiles({ target, reader: source.files, files: prepared.files, depth });
  return [accounts, ...rows, files];
}

async function mailsHeldBack({ snapshot, life }: Source): Promise<number> {
  if (life === 'still' || !snapshot.tables.some((table) => fullName(table) === 'private.desk_mails')) return 0;
  const [row] = await snapshot.rows<{ count: string }>(
    `select count(*) from private.desk_mails where state in ('waiting', 'claimed', 'sending')`,
  );
  return Number(row?.count ?? 0);
}
