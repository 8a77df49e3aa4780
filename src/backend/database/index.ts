export { compact } from './compact.ts';
export { openDatabase, type CallerContext, type Database, type Tx } from './database.ts';
export { startCluster, type Cluster } from './cluster.ts';
export { FilesHeldError, mayRemoveFiles } from './files-hold.ts';
export { isEmptyDatabase, loadDatabase, type Loading } from './load.ts';
export {
  checkRecorded,
  migrate,
  sqlFiles,
  UnknownMigrationsError,
  type MigrationPlan,
  type SqlFile,
} from './migrations.ts';
export { openSnapshot, type Snapshot } from './snapshot.ts';
export { fullName, type Table } from './tables.ts';
