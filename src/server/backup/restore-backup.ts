import { existsSync } from 'node:fs';
import {
  checkRecorded,
  type FileWriter,
  isEmptyDatabase,
  loadDatabase,
  type Loading,
  openFileWriter,
  storeKey,
  UnknownMigrationsError,
} from '#backend/maintenance.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { journalFile } from '../data-folder.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import { openArchive, type Archive, type ArchivePart } from './archive/reader.ts';
import { readAll } from './bytes.ts';
import { hasDataFiles, isDataFile, toUnsentName, writeDataFile, type EmptyInstallation } from './installation.ts';
import { BackupError } from './errors.ts';
import { createTableFiller, type SkippedTable } from './tables.ts';
import { beginJournal, clearNoted, type Journal } from './journal.ts';
import { type FilePutter, openFilePutter } from './files.ts';

export type Restored = Readonly<{
  manifest: Manifest;
  /** Tables that no migration creates; their rows stay in the archive. */
  skipped: readonly SkippedTable[];
}>;

export type RestoreOptions = Readonly<{
  file: string;
  signal: AbortSignal;
  /** Called when the end of the archive was found valid. */
  open: () => Promise<EmptyInstallation>;
  /** `aside`: mails that waited are not sent. */
  mails: 'as they were' | 'aside';
}>;

/**
 * Fills an empty installation from an archive. Every checksum is compared before the last step, which makes the rows
 * visible; a failure before removes everything. Throws BackupError. undefined: an earlier restore was complete except
 * for its journal.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored | undefined> {
  const archive = await openArchive(options.file);
  try {
    const target = await options.open();
    const { restored, journal } = await openAndFill(archive, target, options).catch(async (error: unknown) => {
      await target.discard();
      // The database refuses values and keys (SQLSTATE 22, 23) also for damage that a later checksum would show.
      if (/^2[23]/.test(getErrorCode(error) ?? '')) for await (const part of archive.parts(options.signal)) void part;
      throw error;
    });
    // The rows are visible, so a failure from here on removes nothing.
    try {
      await journal.end();
    } catch (cause) {
      throw new BackupError('not_ended', journalFile(target.dataDir), { cause });
    } finally {
      await target.close();
    }
    return restored;
  } finally {
    await archive.close();
  }
}

/** `restored` is undefined where an earlier restore had filled it. */
type Filled = Readonly<{ restored: Restored | undefined; journal: Journal }>;

async function openAndFill(archive: Archive, target: EmptyInstallation, options: RestoreOptions): Promise<Filled> {
  const store = await openFileWriter(target.store);
  try {
    return await fillEmpty(archive, target, store, options);
  } finally {
    await store.close();
  }
}

async function fillEmpty(
  archive: Archive,
  target: EmptyInstallation,
  store: FileWriter,
  options: RestoreOptions,
): Promise<Filled> {
  const { manifest } = archive;
  checkMigrations(target, manifest);
  const removeFiles = (versions: readonly string[]): Promise<void> => store.remove(versions.map(storeKey));
  const empty = await isEmptyDatabase(target.databaseUrl);
  if (existsSync(journalFile(target.dataDir))) {
    // The rows become visible last and all at once: where there are rows, the restore was complete.
    if (!empty) return { restored: undefined, journal: await beginJournal(target.dataDir) };
    await clearNoted(target.dataDir, removeFiles);
  } else if (!empty || (await hasDataFiles(target.dataDir))) throw new BackupError('not_empty', target.dataDir);
  // Files that were there before would be removed where the restore fails.
  else if (!(await store.isEmpty())) throw new BackupError('not_empty', nameStore(target.store));
  const journal = await beginJournal(target.dataDir);
  try {
    const schema = { plan: target.plan, recorded: manifest.migrations };
    const skipped = await loadDatabase(target.databaseUrl, schema, (loading) =>
      restoreAll({ archive, target, store, journal, loading, options }),
    );
    return { restored: { manifest, skipped }, journal };
  } catch (error) {
    // Where removing fails, the journal stays: no server starts with it, and the next restore removes the rest.
    await clearNoted(target.dataDir, removeFiles).then(journal.end, () => undefined);
    throw error;
  }
}

type Work = Readonly<{
  archive: Archive;
  target: EmptyInstallation;
  store: FileWriter;
  journal: Journal;
  loading: Loading;
  options: RestoreOptions;
}>;

/**
 * Restores tables, files and data files in the order of the archive. While the files are written, the database builds
 * its indexes and constraints.
 */
async function restoreAll(work: Work): Promise<SkippedTable[]> {
  const { archive, loading, options } = work;
  const { manifest } = archive;
  const failing = new AbortController();
  const signal = AbortSignal.any([options.signal, failing.signal]);
  const tables = createTableFiller(loading, manifest, options.file);
  let files: FilePutter | undefined;
  let completing: Promise<void> | undefined;
  const completeTables = async (): Promise<FilePutter> => {
    if (files !== undefined) return files;
    await tables.complete();
    files = await openFilePutter({ ...work, archive: options.file });
    completing = loading.complete(manifest.sequences, signal);
    completing.catch((error: unknown) => failing.abort(error));
    return files;
  };
  try {
    for await (const part of archive.parts(signal)) {
      if (part.name.startsWith(NAMES.database)) await tables.take(part);
      else await restorePart(work, part, await completeTables());
    }
    await (await completeTables()).complete(manifest.files);
    await completing;
    return tables.skipped();
  } catch (error) {
    failing.abort(error);
    await completing;
    throw error;
  } finally {
    await files?.waitForEnd();
  }
}

async function restorePart({ target, journal, options }: Work, part: ArchivePart, files: FilePutter): Promise<void> {
  if (part.name.startsWith(NAMES.file)) return files.take(part);
  const name = part.name.slice(NAMES.data.length);
  if (!part.name.startsWith(NAMES.data) || !isDataFile(name)) throw new BackupError('damaged', options.file);
  const kept = options.mails === 'aside' ? toUnsentName(name) : name;
  await journal.note('data', kept);
  return writeDataFile(target.dataDir, { name: kept, content: await readAll(part.content) });
}

function checkMigrations({ plan }: EmptyInstallation, { migrations }: Manifest): void {
  try {
    checkRecorded(plan, migrations);
  } catch (error) {
    if (error instanceof UnknownMigrationsError) throw new BackupError('migrations_unknown', error.names.join(', '));
    throw error;
  }
}

function nameStore(store: EmptyInstallation['store']): string {
  return store.kind === 's3' ? `S3_BUCKET ${store.bucket}` : store.folder;
}
