import pg from 'pg';
import { getErrorCode, isDiskFull } from '#lib/error-code.ts';
import { FilesHeldError, StoreFullError, StoreUnavailableError } from '#backend/maintenance.ts';
import { BackupFault } from './faults.ts';

/** The database's own disk. */
const DISK_FULL = '53100';

/** What went wrong as one of our faults; undefined for what nobody foresaw. */
export function faultOf(error: unknown, folder: string): BackupFault | undefined {
  if (error instanceof BackupFault) return error;
  if (error instanceof FilesHeldError) return new BackupFault('busy', '', { cause: error });
  if (error instanceof StoreUnavailableError) return new BackupFault('store_away', '', { cause: error });
  if (error instanceof StoreFullError || isDiskFull(error) || getErrorCode(error) === DISK_FULL)
    return new BackupFault('disk_full', folder, { cause: error });
  if (error instanceof pg.DatabaseError) return new BackupFault('database_failed', error.message, { cause: error });
  return undefined;
}
