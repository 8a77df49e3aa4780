/** Entry point for tools that work on a whole installation: its rows and files, without loading the services. */
export {
  applyProject,
  checkRecorded,
  ClusterStartError,
  EarlierDatabaseError,
  FilesHeldError,
  formatName,
  hasCluster,
  isEmptyDatabase,
  listMissing,
  loadDatabase,
  OldDatabaseError,
  openSnapshot,
  PLAIN_TEXT,
  qualifyName,
  quoteName,
  removeCluster,
  startCluster,
  UnknownMigrationsError,
  type Loading,
  type MigrationPlan,
  type Snapshot,
  type Table,
} from './database/index.ts';
export { createSecretBox } from './auth/factors/secret-box.ts';
export { readProjectConfig } from './config.ts';
export { migrationPlan } from './migration-plan.ts';
export { MissingFileError, storeKey, StoreFullError, StoreUnavailableError } from './storage/stores/object-store.ts';
export type { FileReader, FileWriter, OpenFile, ReadOptions } from './storage/stores/object-store.ts';
export { openFileReader, openFileWriter } from './storage/stores/open.ts';
export { createReadAhead, createWriteBehind } from './storage/stores/large-files.ts';
