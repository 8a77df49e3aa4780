import pg from 'pg';
import { FilesHeldError, StoreFullError, StoreUnavailableError } from '#backend/maintenance.ts';
import { BackupFault } from './faults.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** What went wrong as one of our faults; undefined for what nobody foresaw. */
export function faultOf(error: unknown, folder: string): BackupFault | undefined {
  if (error instanceof BackupFault) return error;
  if (error instanceof FilesHeldError) return new BackupFault('busy', '', { cause: error });
  if (error instanceof StoreUnavailableError) return new BackupFault('store_away', '', { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof StoreFullError || FULL.has(code)) return new BackupFault('disk_full', folder, { cause: error });
  if (error instanceof pg.DatabaseError) return new BackupFault('database_failed', error.message, { cause: error });
  return undefined;
}
