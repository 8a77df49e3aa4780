export { compact } from './housekeeping.ts';
export { awaitDatabase } from './connections.ts';
export { OldDatabaseError } from './version.ts';
export { openDatabase, type CallerContext, type Database, type Tx } from './database.ts';
export { ClusterStartError, hasCluster, removeCluster, startCluster, type Cluster } from './cluster.ts';
export { FilesHeldError, mayRemoveFiles } from './snapshot.ts';
export { isEmptyDatabase, loadDatabase, type Loading } from './load.ts';
export {
  checkRecorded,
  EarlierDatabaseError,
  listMissing,
  listSqlFiles,
  readReplaced,
  UnknownMigrationsError,
  type MigrationPlan,
  type SqlFile,
} from './migration-files.ts';
export { applyProject, migrate } from './migrations.ts';
export { getTakenConstraint, isConnectionError, isUnavailable } from './connection-errors.ts';
export { openSnapshot, PLAIN_TEXT, type Snapshot } from './snapshot.ts';
export { formatName, qualifyName, quoteName, type Table } from './tables.ts';
