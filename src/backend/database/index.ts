export { compact } from './compact.ts';
export { awaitDatabase } from './connections.ts';
export { openDatabase, type CallerContext, type Database, type Tx } from './database.ts';
export { ClusterStartError, startCluster, type Cluster } from './cluster.ts';
export { FilesHeldError, mayRemoveFiles } from './files-hold.ts';
export { isEmptyDatabase, loadDatabase, type Loading } from './load.ts';
export {
  applyProject,
  checkRecorded,
  migrate,
  missingIn,
  sqlFiles,
  UnknownMigrationsError,
  type MigrationPlan,
  type SqlFile,
} from './migrations.ts';
export { readReplaced } from './replaced.ts';
export { isConnectionError, isUnavailable } from './unavailable.ts';
export { openSnapshot, PLAIN_TEXT, type Snapshot } from './snapshot.ts';
export { fullName, qualified, quoted, type Table } from './tables.ts';
