import type { Env } from '../../env.ts';
import { FolderInUseError, lockFolder } from '../../lock.ts';
import { missingIn, openFileReader, openSnapshot, type FileReader, type Snapshot } from '#backend/maintenance.ts';
import { isNetwork } from './fault-of.ts';
import { MoveFault } from './faults.ts';
import { openForReading, type Installation } from '../installation.ts';
import type { Life } from './project-tables.ts';

/** The installation that moves, as it is at this moment. */
export type Source = Readonly<{
  installation: Installation;
  snapshot: Snapshot;
  files: FileReader;
  life: Life;
  close: () => Promise<void>;
}>;

/** Throws MoveFault and BackupFault. */
export async function openSource(env: Env, source: NodeJS.ProcessEnv): Promise<Source> {
  const served = await isServed(env.DATA_DIR);
  // What is named as hosted is where to, not where from.
  const installation = await openForReading({ ...env, SUPABASE_URL: undefined }, source);
  try {
    const snapshot = await openSnapshot(installation.databaseUrl).catch(sourceAway);
    const files = await openFileReader(installation.store);
    const close = async (): Promise<void> => {
      await files.close();
      await snapshot.close();
      await installation.close();
    };
    try {
      await checkUpToDate(snapshot, installation);
      const life = served || (await hasOthers(snapshot)) ? 'running' : 'still';
      return { installation, snapshot, files, life, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await installation.close();
    throw error;
  }
}

function sourceAway(error: unknown): never {
  throw error instanceof Error && isNetwork(error) ? new MoveFault('source_away', '', { cause: error }) : error;
}

async function isServed(folder: string): Promise<boolean> {
  try {
    await (await lockFolder(folder)).release();
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}

/** Servers elsewhere on the same database. */
async function hasOthers(snapshot: Snapshot): Promise<boolean> {
  const rows = await snapshot.rows(
    `select from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  return rows.length > 0;
}

/** An older installation would not fit the tables that are made for it. */
async function checkUpToDate(snapshot: Snapshot, { plan, databaseUrl }: Installation): Promise<void> {
  const names = new Set(snapshot.tables.map(({ schema, name }) => `${schema}.${name}`));
  if (!names.has('supabase_migrations.schema_migrations'))
    throw new MoveFault('source_behind', new URL(databaseUrl).pathname);
  const recorded = await snapshot.rows<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  const missing = missingIn(plan, { project: recorded.map(({ version }) => version) });
  if (missing.length > 0) throw new MoveFault('source_behind', missing.join(', '));
}
