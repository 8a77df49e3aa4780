import pg from 'pg';
import { getErrorCode } from '#lib/error-code.ts';
import { UnknownMigrationsError } from '#backend/maintenance.ts';
import { BackupFault } from '../faults.ts';
import { faultOf as sourceFaultOf } from '../fault-of.ts';
import { MoveFault } from './faults.ts';

/** Class 28: the password, the role. */
const REFUSED = /^28/;
/** Class 08, and a server that shuts down: whoever tries again later may have luck. */
const AWAY = /^(?:08|57P0)/;

/** What went wrong as one of our faults; undefined for what nobody foresaw. */
export function faultOf(error: unknown, folder: string): MoveFault | BackupFault | undefined {
  if (error instanceof MoveFault) return error;
  if (error instanceof UnknownMigrationsError) return new MoveFault('migrations_unknown', error.names.join(', '));
  if (error instanceof pg.DatabaseError) return new MoveFault('database_failed', error.message, { cause: error });
  return sourceFaultOf(error, folder);
}

/** The same for what the hosted project's database says or does not say. */
export function databaseFault(error: unknown): unknown {
  if (error instanceof MoveFault || error instanceof BackupFault || error instanceof UnknownMigrationsError)
    return error;
  if (!(error instanceof Error)) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  if (REFUSED.test(code)) return new MoveFault('database_refuses', error.message, { cause: error });
  if (error instanceof pg.DatabaseError && !AWAY.test(code)) return error;
  if (CERTIFICATE.test(getErrorCode(error) ?? '') || NO_SSL.test(error.message))
    return new MoveFault('not_trusted', error.message, { cause: error });
  if (isNetwork(error) || AWAY.test(code)) return new MoveFault('database_away', '', { cause: error });
  return error;
}

const CERTIFICATE = /CERT|UNABLE_TO|^ERR_TLS|^ERR_SSL/;
const NO_SSL = /does not support SSL/;
const NETWORK = /ECONN|ENOENT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|EAI_AGAIN/;

export function isNetwork(error: Error): boolean {
  // pg's own words have no code.
  return (
    NETWORK.test(getErrorCode(error) ?? '') || /Connection terminated|not queryable|timeout expired/.test(error.message)
  );
}
