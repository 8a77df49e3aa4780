import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  checkRecorded,
  isEmptyDatabase,
  loadDatabase,
  openFileWriter,
  storeKey,
  UnknownMigrationsError,
  type Loading,
  type FileWriter,
} from '#backend/maintenance.ts';
import { journalFile } from '../half-restored.ts';
import { openArchive, type Archive, type ArchivePart } from './archive/reader.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import { whole } from './bytes.ts';
import { asideName, holdsDataFiles, isDataFile, writeDataFile } from './data-files.ts';
import { BackupFault } from './faults.ts';
import type { Filling } from './installation.ts';
import { beginJournal, clearNoted, type Journal } from './journal.ts';
import { openFilePutter, type FilePutter } from './put-files.ts';
import { createTableFiller, type SkippedTable } from './fill-tables.ts';

export type Restored = Readonly<{
  manifest: Manifest;
  /** Tables that no migration makes: their rows stay in the archive. */
  skipped: readonly SkippedTable[];
}>;

export type RestoreOptions = Readonly<{
  file: string;
  signal: AbortSignal;
  /** Opened only once the archive looks right. */
  open: () => Promise<Filling>;
  /** Whether mails that waited are kept from being sent again. */
  mails: 'as they were' | 'aside';
}>;

/**
 * Fills an empty installation from an archive. Every sum is compared before the rows become visible, which is the last
 * step; whatever fails before it is cleared. Throws BackupFault. undefined: an earlier restore had come to its end but
 * for clearing its journal.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored | undefined> {
  const archive = await openArchive(options.file);
  try {
    const filling = await options.open();
    const store = await openFileWriter(filling.store);
    try {
      const restored = await fillEmpty(archive, filling, store, options);
      await filling.close();
      return restored;
    } catch (error) {
      await filling.discard();
      throw error;
    } finally {
      await store.close();
    }
  } finally {
    await archive.close();
  }
}

async function fillEmpty(
  archive: Archive,
  filling: Filling,
  store: FileWriter,
  options: RestoreOptions,
): Promise<Restored | undefined> {
  const { manifest } = archive;
  checkMigrations(filling, manifest);
  const removeFiles = (versions: readonly string[]): Promise<void> => store.remove(versions.map(storeKey));
  const empty = await isEmptyDatabase(filling.databaseUrl);
  if (existsSync(journalFile(filling.dataDir))) {
    // The rows come last and all at once: where they are, everything is.
    if (!empty) return (await beginJournal(filling.dataDir)).end().then(() => undefined);
    await clearNoted(filling.dataDir, removeFiles);
  } else if (!empty || (await holdsFiles(filling))) throw new BackupFault('not_empty', filling.dataDir);
  const journal = await beginJournal(filling.dataDir);
  try {
    const schema = { plan: filling.plan, recorded: manifest.migrations };
    const skipped = await loadDatabase(filling.databaseUrl, schema, (loading) =>
      putAll({ archive, filling, store, journal, loading, options }),
    );
    await journal.end();
    return { manifest, skipped };
  } catch (error) {
    // Where it cannot be cleared now, the journal stays: no server starts on it, and the next restore clears it.
    await clearNoted(filling.dataDir, removeFiles).then(journal.end, () => undefined);
    throw error;
  }
}

type Work = Readonly<{
  archive: Archive;
  filling: Filling;
  store: FileWriter;
  journal: Journal;
  loading: Loading;
  options: RestoreOptions;
}>;

/**
 * In the order of the archive: tables, files, what lay in the data folder. While the files come, the database puts back what
 * was set aside for the rows.
 */
async function putAll(work: Work): Promise<SkippedTable[]> {
  const { archive, loading, options } = work;
  const { manifest } = archive;
  const failing = new AbortController();
  const signal = AbortSignal.any([options.signal, failing.signal]);
  const tables = createTableFiller(loading, manifest, options.file);
  let files: FilePutter | undefined;
  let completing: Promise<void> | undefined;
  const rowsAreIn = async (): Promise<FilePutter> => {
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
      else await putPart(work, part, await rowsAreIn());
    }
    await (await rowsAreIn()).complete(manifest.files);
    await completing;
    return tables.skipped();
  } catch (error) {
    failing.abort(error);
    await completing;
    throw error;
  } finally {
    await files?.settle();
  }
}

async function putPart({ filling, journal, options }: Work, part: ArchivePart, files: FilePutter): Promise<void> {
  if (part.name.startsWith(NAMES.file)) return files.take(part);
  const name = part.name.slice(NAMES.data.length);
  if (!part.name.startsWith(NAMES.data) || !isDataFile(name)) throw new BackupFault('damaged', options.file);
  const kept = options.mails === 'aside' ? asideName(name) : name;
  await journal.note('data', kept);
  return writeDataFile(filling.dataDir, { name: kept, content: await whole(part.content) });
}

function checkMigrations({ plan }: Filling, { migrations }: Manifest): void {
  try {
    checkRecorded(plan, migrations);
  } catch (error) {
    if (error instanceof UnknownMigrationsError) throw new BackupFault('migrations_unknown', error.names.join(', '));
    throw error;
  }
}

async function holdsFiles({ dataDir, store }: Filling): Promise<boolean> {
  if (await holdsDataFiles(dataDir)) return true;
  if (store.kind === 's3') return false;
  const entries = await readdir(path.join(store.folder, 'objects'), { recursive: true, withFileTypes: true });
  return entries.some((entry) => entry.isFile());
}
