import pg from 'pg';
import { FilesHeldError, StoreFullError, StoreUnavailableError } from '#backend/maintenance.ts';
import { CodedError, getErrorCode, isDiskFull } from '#lib/error-code.ts';
import type { BackupErrorCode } from './texts.ts';

/** A command cannot go on; each command has a class with its codes. */
export class CommandError<Code extends string> extends CodedError<Code> {
  /** A path, a name, a number or an answer, which the message shows. Never a secret. */
  readonly detail: string;
  constructor(code: Code, detail = '', options?: ErrorOptions) {
    super(code, `${code} ${detail}`, options);
    this.detail = detail;
  }
}

export class BackupError extends CommandError<BackupErrorCode> {}

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
