import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fullName, openFileReader, openSnapshot, type Snapshot } from '#backend/maintenance.ts';
import { NAMES, type Facts, type Manifest } from './archive/manifest.ts';
import { writeArchive, type ArchiveWriter } from './archive/writer.ts';
import { readDataFiles } from './data-files.ts';
import { BackupFault } from './faults.ts';
import type { Installation } from './installation.ts';
import { storedFiles } from './stored-files.ts';
import { writeTable } from './table-parts.ts';

/** As the store has it: a database without room to write stops. */
const SPARE_BYTES = 128 * 1024 * 1024;
const NAMED_MISSING = 100;

/**
 * Copies rows and files, as they are at this moment, into one archive, while everybody goes on working. Throws
 * BackupFault and leaves no file where it fails; files that the store has lost are named in the manifest.
 */
export async function takeBackup(installation: Installation, file: string, signal: AbortSignal): Promise<Manifest> {
  const folder = path.dirname(file);
  if (!existsSync(folder)) throw new BackupFault('folder_missing', folder);
  if (existsSync(file)) throw new BackupFault('backup_exists', file);
  const snapshot = await openSnapshot(installation.databaseUrl);
  try {
    const createdAt = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
    const spare = await spareBytes(folder, installation.dataDir);
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
  const migrations = await recordedMigrations(snapshot, installation);
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

async function recordedMigrations(snapshot: Snapshot, { databaseUrl }: Installation): Promise<Facts['migrations']> {
  const names = new Set(snapshot.tables.map(fullName));
  const ledgers = ['_backend.platform_migrations', 'supabase_migrations.schema_migrations', 'storage.objects'];
  if (!ledgers.every((name) => names.has(name))) throw new BackupFault('no_database', new URL(databaseUrl).pathname);
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
    for await (const { version, name, open } of storedFiles(snapshot, reader)) {
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

/** What to leave free: nothing on a disk that the installation does not live on. */
async function spareBytes(folder: string, dataDir: string): Promise<number> {
  const [target, own] = await Promise.all([stat(folder), stat(dataDir).catch(() => undefined)]);
  return own?.dev === target.dev ? SPARE_BYTES : 0;
}
