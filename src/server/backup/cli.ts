import path from 'node:path';
import { type Env, readEnv } from '../env.ts';
import type { Manifest } from './archive/manifest.ts';
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
  RESTORED_HINT,
  skippedTables,
  USAGE,
} from './texts.ts';

/** `npm run backup -- FILE`, `npm run restore -- FILE`. `incomplete`: done, except for what is named on stderr. */
const EXIT = { done: 0, failed: 1, usage: 2, incomplete: 3 } as const;

type Verb = 'backup' | 'restore';

// Without this a store that hangs in the middle of an answer keeps the process alive.
process.exit(await main(process.argv.slice(2), process.env));

async function main(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  const [verb, given, ...rest] = args;
  if (given === '--help' || given === '-h') return tell(USAGE, EXIT.done);
  if ((verb !== 'backup' && verb !== 'restore') || given === undefined || given.startsWith('-') || rest.length > 0) {
    process.stderr.write(USAGE);
    return EXIT.usage;
  }
  // npm changes to the project's folder; INIT_CWD is the caller's.
  const file = path.resolve(source['INIT_CWD'] ?? '.', given);
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stopping.abort(new BackupError('stopped')));
  try {
    const env = readEnv(source);
    return await (verb === 'backup' ? backup : restore)({ env, source, file, signal: stopping.signal });
  } catch (error) {
    if (verb === 'backup') await recordFailure(error, source);
    return fail(error, verb);
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

type Task = Readonly<{ env: Env; source: NodeJS.ProcessEnv; file: string; signal: AbortSignal }>;

async function backup({ env, source, file, signal }: Task): Promise<number> {
  const begun = performance.now();
  const installation = await openForReading(env, source);
  try {
    const manifest = await takeBackup(installation, file, signal);
    tell(done('gesichert', file, countContent(manifest, begun)));
    await recordBackup(env.DATA_DIR, file, manifest).catch(() => process.stderr.write(NOT_RECORDED));
    return reportMissing(manifest);
  } finally {
    await installation.close();
  }
}

async function restore({ env, source, file, signal }: Task): Promise<number> {
  const begun = performance.now();
  const mails = env.SMTP_URL === undefined ? 'as they were' : 'aside';
  const restored = await restoreBackup({ file, signal, mails, open: () => openForFilling(env, source) });
  if (restored === undefined) return tell(ALREADY_RESTORED, EXIT.done);
  tell(done('eingespielt', file, countContent(restored.manifest, begun)) + RESTORED_HINT);
  const exit = reportMissing(restored.manifest);
  if (restored.skipped.length === 0) return exit;
  process.stderr.write(skippedTables(restored.skipped));
  return EXIT.incomplete;
}

function countContent({ tables, files }: Manifest, begun: number): Parameters<typeof done>[2] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const seconds = (performance.now() - begun) / 1000;
  return { tables: tables.length, rows, files: files.count, bytes: files.bytes, seconds };
}

function reportMissing({ files: { missing, missingNames } }: Manifest): number {
  if (missing === 0) return EXIT.done;
  process.stderr.write(missingFiles(missing, missingNames));
  return EXIT.incomplete;
}

function fail(error: unknown, verb: Verb): number {
  const known = toBackupError(error, process.env['DATA_DIR'] ?? 'data');
  const words = known === undefined ? getMessage(error) : ERROR_TEXTS[known.code](known.detail);
  process.stderr.write(`${words}\n${NOTHING_LEFT[verb]}\n`);
  return EXIT.failed;
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tell(text: string, exit: number = EXIT.done): number {
  process.stdout.write(text);
  return exit;
}
