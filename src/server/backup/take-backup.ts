import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { formatName, openFileReader, openSnapshot, type Snapshot } from '#backend/maintenance.ts';
import { NAMES, type Facts, type Manifest } from './archive/manifest.ts';
import type { CommandContext } from '../command.ts';
import { type ArchiveWriter, writeArchive } from './archive/writer.ts';
import { readDataFiles, type Installation } from './installation.ts';
import { BackupError } from './errors.ts';
import { readStoredFiles } from './files.ts';
import { recordDraft } from './last-backup.ts';
import { draftRemoved } from './texts.ts';
import { writeTable } from './tables.ts';

/** The same as the store leaves free: a database without free space stops. */
const SPARE_BYTES = 128 * 1024 * 1024;
const NAMED_MISSING = 100;
type Told = Pick<CommandContext, 'signal' | 'out'>;

/**
 * Copies rows and files of one moment into an archive, while the server works on. Throws BackupError and leaves no file
 * where it fails. The manifest names files that the store has lost.
 */
export async function takeBackup(installation: Installation, file: string, { signal, out }: Told): Promise<Manifest> {
  const folder = path.dirname(file);
  if (!existsSync(folder)) throw new BackupError('folder_missing', folder);
  if (existsSync(file)) throw new BackupError('backup_exists', file);
  const snapshot = await openSnapshot(installation.databaseUrl);
  try {
    // Only now, when no other backup is running. A draft that cannot be noted is no reason to fail.
    const left = await recordDraft(installation.dataDir, `${file}.part`).catch(() => undefined);
    if (left !== undefined) out(draftRemoved(left));
    const createdAt = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
    const spare = await getSpareBytes(folder, installation.dataDir);
    return await writeArchive(file, { createdAt, spare, signal }, (writer) =>
      copyAll(writer, snapshot, installation, createdAt),
    );
  } finally {
    await snapshot.close();
  }
}

async function copyAll(
  writer: ArchiveWriter,
  snapshot: Snapshot,
  installation: Installation,
  createdAt: string,
): Promise<Facts> {
  const migrations = await readMigrations(snapshot, installation);
  const tables: Facts['tables'] = [];
  for (const [index, table] of snapshot.tables.entries()) {
    const rows = await writeTable(writer, snapshot, table, index);
    tables.push({ ...table, columns: [...table.columns], rows });
  }
  const sequences = await snapshot.sequences();
  const files = await copyFiles(writer, snapshot, installation);
  for await (const { name, content } of readDataFiles(installation.dataDir)) {
    await writer.add(`${NAMES.data}${name}`, content);
  }
  return { createdAt, postgres: snapshot.serverVersion, migrations, tables, sequences, files };
}

async function readMigrations(snapshot: Snapshot, { databaseUrl }: Installation): Promise<Facts['migrations']> {
  const names = new Set(snapshot.tables.map(formatName));
  const ledgers = ['_backend.platform_migrations', 'supabase_migrations.schema_migrations', 'storage.objects'];
  if (!ledgers.every((name) => names.has(name))) throw new BackupError('no_database', new URL(databaseUrl).pathname);
  const platform = await snapshot.rows<{ name: string }>('select name from _backend.platform_migrations order by 1');
  const project = await snapshot.rows<{ version: string }>(
    'select version from supabase_migrations.schema_migrations order by 1',
  );
  return { platform: platform.map(({ name }) => name), project: project.map(({ version }) => version) };
}

async function copyFiles(writer: ArchiveWriter, snapshot: Snapshot, { store }: Installation): Promise<Facts['files']> {
  const reader = await openFileReader(store);
  const missingNames: string[] = [];
  let [count, bytes, missing] = [0, 0, 0];
  try {
    for await (const { version, name, open } of readStoredFiles(snapshot, reader)) {
      const opened = await open();
      if (opened === undefined) {
        missing += 1;
        if (missingNames.length < NAMED_MISSING) missingNames.push(name);
      } else {
        await writer.addStream(`${NAMES.file}${version}`, opened.bytes, opened.content);
        count += 1;
        bytes += opened.bytes;
      }
    }
  } finally {
    await reader.close();
  }
  return { count, bytes, missing, missingNames };
}

/** Bytes to leave free: none on a disk other than the installation's. */
async function getSpareBytes(folder: string, dataDir: string): Promise<number> {
  const [target, own] = await Promise.all([stat(folder), stat(dataDir).catch(() => undefined)]);
  return own?.dev === target.dev ? SPARE_BYTES : 0;
}
