import { totalmem } from 'node:os';

export type Durability = Readonly<{
  /** Only for tests that make thousands of databases: gives up durability. */
  durable?: boolean;
  /** 'fill': tables that one transaction makes and fills bypass the write-ahead log. */
  purpose?: 'serve' | 'fill';
}>;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  max_connections: '100',
  // Errors of statements quote callers' values, so only PostgreSQL's own events are logged.
  log_min_messages: 'log',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  password_encryption: 'scram-sha-256',
  // As in a hosted project; otherwise answers would have the offset of the machine.
  timezone: 'UTC',
  // Values and statements may hold personal data.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  // Old segments of the write-ahead log are removed, as they contain deleted rows.
  wal_recycle: 'off',
  // What PostgreSQL takes for 128 MB of shared_buffers; up to 16 MB would be touched at the start and stay resident.
  wal_buffers: '4MB',
  // Nothing here subscribes to another database, so the process that would look for subscriptions is left out.
  max_logical_replication_workers: '0',
  // A crash ends PostgreSQL, and its supervisor starts it again: by itself it can hang on a full disk (decision 0354).
  restart_after_crash: 'off',
};

/** The arguments of `postgres` for a data folder. */
export function buildCommandLine(data: string, socket: string, { durable = true, purpose }: Durability): string[] {
  const all: Record<string, string> = {
    ...SETTINGS,
    unix_socket_directories: socket,
    shared_buffers: `${getSharedMegabytes(totalmem(), process.constrainedMemory())}MB`,
  };
  if (!durable) Object.assign(all, { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' });
  if (purpose === 'fill') Object.assign(all, { wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '4GB' });
  return ['-D', data, ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])];
}

const MEBIBYTE = 1024 * 1024;

/**
 * Memory for PostgreSQL's tables: an eighth of the machine, from its own default of 128 MB to 512, as other programs
 * need memory too. `limit`: the process's memory limit in bytes, 0 for none.
 */
export function getSharedMegabytes(total: number, limit: number): number {
  const available = limit > 0 ? Math.min(total, limit) : total;
  return Math.min(512, Math.max(128, Math.floor(available / 8 / MEBIBYTE)));
}
