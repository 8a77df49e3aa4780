import pg from 'pg';
import { FilesHeldError, StoreFullError, StoreUnavailableError } from '#backend/maintenance.ts';
import { getErrorCode, isDiskFull } from '#lib/error-code.ts';

export type BackupErrorCode =
  | 'archive_newer'
  | 'backup_exists'
  | 'busy'
  | 'damaged'
  | 'database_failed'
  | 'disk_full'
  | 'file_missing'
  | 'file_unreadable'
  | 'folder_missing'
  | 'hosted'
  | 'migrations_unknown'
  | 'no_archive'
  | 'no_database'
  | 'not_empty'
  | 'not_ended'
  | 'server_runs'
  | 'server_turns'
  | 'stopped'
  | 'store_away'
  | 'truncated';

export class BackupError extends Error {
  readonly code: BackupErrorCode;
  /** A path, a name or a number, which the message shows. */
  readonly detail: string;
  constructor(code: BackupErrorCode, detail = '', options?: ErrorOptions) {
    super(`${code} ${detail}`, options);
    this.name = 'BackupError';
    this.code = code;
    this.detail = detail;
  }
}

/** The disk of the database server. */
const DISK_FULL = '53100';

/** undefined for an unexpected error. */
export function toBackupError(error: unknown, folder: string): BackupError | undefined {
  if (error instanceof BackupError) return error;
  if (error instanceof FilesHeldError) return new BackupError('busy', '', { cause: error });
  if (error instanceof StoreUnavailableError) return new BackupError('store_away', '', { cause: error });
  if (error instanceof StoreFullError || isDiskFull(error) || getErrorCode(error) === DISK_FULL)
    return new BackupError('disk_full', folder, { cause: error });
  if (error instanceof pg.DatabaseError) return new BackupError('database_failed', error.message, { cause: error });
  return undefined;
}
