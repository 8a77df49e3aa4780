export { compact } from './compact.ts';
export { openDatabase, type CallerContext, type Database, type Tx } from './database.ts';
export { startCluster, type Cluster } from './cluster.ts';
export { migrate, sqlFiles, type MigrationPlan, type SqlFile } from './migrations.ts';
