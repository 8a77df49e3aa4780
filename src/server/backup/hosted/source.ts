import { setTimeout as wait } from 'node:timers/promises';
import {
  type FileReader,
  listMissing,
  type OpenFile,
  openFileReader,
  openSnapshot,
  type Snapshot,
} from '#backend/maintenance.ts';
import type { Env } from '../../env.ts';
import { FolderInUseError, lockFolder } from '../../data-folder.ts';
import { openFile } from '../files.ts';
import { openForReading, type Installation } from '../installation.ts';
import { isNetwork, MoveError } from './errors.ts';
import { formatFileName, type SourceFile } from './plan-files.ts';
import type { SourceState } from './tables.ts';

/** The installation that moves, in a snapshot of this moment. */
export type Source = Readonly<{
  installation: Installation;
  snapshot: Snapshot;
  files: FileReader;
  state: SourceState;
  close: () => Promise<void>;
}>;

/** Throws MoveError and BackupError. */
export async function openSource(env: Env, source: NodeJS.ProcessEnv): Promise<Source> {
  const served = await hasServer(env.DATA_DIR);
  // SUPABASE_URL names the target here.
  const installation = await openForReading({ ...env, SUPABASE_URL: undefined }, source);
  try {
    const snapshot = await openSnapshot(installation.databaseUrl).catch(toSourceError);
    const files = await openFileReader(installation.store);
    const close = async (): Promise<void> => {
      await files.close();
      await snapshot.close();
      await installation.close();
    };
    try {
      await checkUpToDate(snapshot, installation);
      const state = served || (await hasOtherConnections(snapshot)) ? 'running' : 'stopped';
      return { installation, snapshot, files, state, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await installation.close();
    throw error;
  }
}

function toSourceError(error: unknown): never {
  throw error instanceof Error && isNetwork(error) ? new MoveError('source_away', '', { cause: error }) : error;
}

async function hasServer(folder: string): Promise<boolean> {
  try {
    await (await lockFolder(folder)).release();
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}

const LOOKS = 30;
const LOOK_AGAIN_MS = 100;

/** Finds servers on other machines that use the same database. */
async function hasOtherConnections(snapshot: Snapshot): Promise<boolean> {
  // The connections of a server that has just stopped are there for a moment longer.
  for (let look = 0; look < LOOKS; look += 1) {
    const rows = await snapshot.rows(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    if (rows.length === 0) return false;
    await wait(LOOK_AGAIN_MS);
    await snapshot.rows('select pg_stat_clear_snapshot()');
  }
  return true;
}

/** Tables of an older installation do not fit those at the target. */
async function checkUpToDate(snapshot: Snapshot, { plan, databaseUrl }: Installation): Promise<void> {
  const names = new Set(snapshot.tables.map(({ schema, name }) => `${schema}.${name}`));
  if (!names.has('supabase_migrations.schema_migrations'))
    throw new MoveError('source_behind', new URL(databaseUrl).pathname);
  const recorded = await snapshot.rows<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  const missing = listMissing(plan, { project: recorded.map(({ version }) => version) });
  if (missing.length > 0) throw new MoveError('source_behind', missing.join(', '));
}

/** Reads a file of the source from `start` on; undefined where its store has lost it. */
export function openSourceFile(
  { files }: Pick<Source, 'files'>,
  file: SourceFile,
  start = 0,
): Promise<OpenFile | undefined> {
  return openFile(files, { version: file.version, name: formatFileName(file), start });
}
