/** Why a backup or a restore cannot go on; the words for it are in texts.ts. */
export type FaultCode =
  | 'archive_newer'
  | 'backup_exists'
  | 'busy'
  | 'damaged'
  | 'database_failed'
  | 'disk_full'
  | 'file_unreadable'
  | 'folder_missing'
  | 'hosted'
  | 'migrations_unknown'
  | 'no_archive'
  | 'no_database'
  | 'not_empty'
  | 'server_runs'
  | 'server_turns'
  | 'stopped'
  | 'store_away'
  | 'truncated';

export class BackupFault extends Error {
  readonly code: FaultCode;
  /** A path, a name, a number: what the text names. */
  readonly detail: string;
  constructor(code: FaultCode, detail = '', options?: ErrorOptions) {
    super(`${code} ${detail}`, options);
    this.name = 'BackupFault';
    this.code = code;
    this.detail = detail;
  }
}
