import { getMessage } from '#lib/error-code.ts';
import { resolveArgument, type CommandContext } from '../command.ts';
import { type Env, readEnv } from '../env.ts';
import type { Manifest } from './archive/manifest.ts';
import { describeDatabaseError, describeStartError } from '../start-error.ts';
import { BackupError, toBackupError } from './errors.ts';
import { openForFilling, openForReading } from './installation.ts';
import { recordBackup, recordFailedBackup } from './last-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { takeBackup } from './take-backup.ts';
import {
  ALREADY_RESTORED,
  done,
  ERROR_TEXTS,
  missingFiles,
  NOT_RECORDED,
  NOTHING_LEFT,
  restoredHint,
  skippedTables,
  USAGE,
} from './texts.ts';

/** `incomplete`: done, except for what is named on stderr. */
const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3 } as const;

type Verb = 'backup' | 'restore';

/** `npm run backup -- FILE`, `npm run restore -- FILE`. Resolves to the exit code. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const [verb, given, ...rest] = args;
  if (given === '--help' || given === '-h') {
    context.out(USAGE);
    return EXIT.done;
  }
  if ((verb !== 'backup' && verb !== 'restore') || given === undefined || given.startsWith('-') || rest.length > 0) {
    context.err(USAGE);
    return EXIT.usage;
  }
  const { variables } = context;
  const file = resolveArgument(given, variables);
  let env: Env | undefined;
  try {
    env = readEnv(variables);
    return await (verb === 'backup' ? backup : restore)({ ...context, env, file });
  } catch (error) {
    if (verb === 'backup') await recordFailure(error, variables);
    context.err(describeFailure(error, verb, env));
    return EXIT.failed;
  }
}

/** Does nothing where no data folder can be written to: the command's own words say what failed. */
async function recordFailure(error: unknown, source: NodeJS.ProcessEnv): Promise<void> {
  try {
    const { DATA_DIR } = readEnv(source);
    await recordFailedBackup(DATA_DIR, toBackupError(error, DATA_DIR)?.code ?? 'failed');
  } catch {
    return;
  }
}

type Task = CommandContext & Readonly<{ env: Env; file: string }>;

async function backup(task: Task): Promise<number> {
  const { env, variables, file, out, err } = task;
  const begun = performance.now();
  const installation = await openForReading(env, variables);
  try {
    const manifest = await takeBackup(installation, file, task);
    out(done('gesichert', file, countContent(manifest, begun)));
    await recordBackup(env.DATA_DIR, file, manifest).catch(() => err(NOT_RECORDED));
    return reportMissing(manifest, task);
  } finally {
    await installation.close();
  }
}

async function restore(task: Task): Promise<number> {
  const { env, variables, file, signal, out, err } = task;
  const begun = performance.now();
  const mails = env.SMTP_URL === undefined ? 'as they were' : 'aside';
  const restored = await restoreBackup({ file, signal, mails, open: () => openForFilling(env, variables) });
  if (restored === undefined) {
    out(ALREADY_RESTORED);
    return EXIT.done;
  }
  out(done('eingespielt', file, countContent(restored.manifest, begun)) + restoredHint(restored.manifest.createdAt));
  const exit = reportMissing(restored.manifest, task);
  if (restored.skipped.length === 0) return exit;
  err(skippedTables(restored.skipped));
  return EXIT.incomplete;
}

function countContent({ tables, files }: Manifest, begun: number): Parameters<typeof done>[2] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const seconds = (performance.now() - begun) / 1000;
  return { tables: tables.length, rows, files: files.count, bytes: files.bytes, seconds };
}

function reportMissing({ files: { missing, missingNames } }: Manifest, { err }: Pick<Task, 'err'>): number {
  if (missing === 0) return EXIT.done;
  err(missingFiles(missing, missingNames));
  return EXIT.incomplete;
}

/** `env` is undefined where the error is about the variables. */
function describeFailure(error: unknown, verb: Verb, env: Env | undefined): string {
  const reason = env === undefined ? getMessage(error) : describeWithPlace(error, env);
  if (error instanceof BackupError && error.code === 'not_ended') return `${reason}\n`;
  return `${reason}\n${NOTHING_LEFT[verb]}\n`;
}

function describeWithPlace(error: unknown, env: Env): string {
  const known = toBackupError(error, env.DATA_DIR);
  if (known === undefined) return describeStartError(error, env);
  const aboutAddress = known.code === 'database_failed' ? describeDatabaseError(error, env) : undefined;
  return aboutAddress ?? ERROR_TEXTS[known.code](known.detail);
}
