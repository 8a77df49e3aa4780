import { totalmem } from 'node:os';

export type Durability = Readonly<{
  /** Only for tests that make thousands of databases: gives up durability. */
  durable?: boolean;
  /**
   * To fill an empty database: what one transaction makes and fills goes past the write-ahead log, straight to its
   * files.
   */
  purpose?: 'serve' | 'fill';
}>;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  max_connections: '100',
  // Errors of statements quote what callers sent: only PostgreSQL's own events are logged.
  log_min_messages: 'log',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  password_encryption: 'scram-sha-256',
  // Without the values and statements of what failed: they may be somebody's.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  // Old parts of the log of changes are removed, not kept for use again: deleted rows stand in them.
  wal_recycle: 'off',
  // A start after a crash must not wait for somebody to press a key.
  restart_after_crash: 'on',
};

/** How `postgres` is called for this folder of data. */
export function commandLine(data: string, socket: string, { durable = true, purpose }: Durability): string[] {
  const all: Record<string, string> = {
    ...SETTINGS,
    unix_socket_directories: socket,
    shared_buffers: `${sharedMegabytes(totalmem(), process.constrainedMemory())}MB`,
  };
  if (!durable) Object.assign(all, { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' });
  if (purpose === 'fill') Object.assign(all, { wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '4GB' });
  return ['-D', data, ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])];
}

const MEBIBYTE = 1024 * 1024;

/**
 * What PostgreSQL keeps of its tables: an eighth of the machine, from its own default of 128 MB to 512, which holds all
 * that the desk searches at 100,000 contributions. The machine is somebody else's, too. `limit`: bytes that the system
 * grants to us, 0 where it sets none.
 */
export function sharedMegabytes(total: number, limit: number): number {
  const ours = limit > 0 ? Math.min(total, limit) : total;
  return Math.min(512, Math.max(128, Math.floor(ours / 8 / MEBIBYTE)));
}
