import { statfsSync } from 'node:fs';
import {
  ClusterStartError,
  EarlierDatabaseError,
  OldDatabaseError,
  UnknownMigrationsError,
} from '#backend/maintenance.ts';
import { getErrorCode, getMessage, isDiskFull } from '#lib/error-code.ts';
import type { Env } from './env.ts';

type Place = Pick<Env, 'DATA_DIR' | 'DATABASE_URL'>;

const UNWRITABLE = /^(?:EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/;
/** Node's word for a folder that cannot be made: on a read-only disk, or behind a link that leads nowhere. */
const NOT_MADE = 'ENOENT';
const UNREACHABLE = /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P03)$/;
/** What the driver says without a code where something else than PostgreSQL listens. */
const NO_ANSWER = /^(?:connection terminated|timeout expired|timeout exceeded when trying to connect)/i;
const UNKNOWN_HOST = /^(?:ENOTFOUND|EAI_AGAIN)$/;
const WRONG_PASSWORD = '28P01';
const NO_PASSWORD = /client password must be a string/;
/** Also where the server allows this name only with TLS, or not from here. */
const NOT_ADMITTED = '28000';
const NO_TLS = /server does not support SSL/;
const BAD_CERTIFICATE = /SELF_SIGNED|^UNABLE_TO_|^CERT_|^ERR_TLS_CERT/;
const UNKNOWN_DATABASE = '3D000';
const NO_RIGHT = '42501';
const NO_UTF8 = '22P05';
const DATABASE_FULL = '53100';
/** PostgreSQL needs more to start. */
const LEAST_BYTES = 48 * 1024 * 1024;

/** Says in German which variable or place keeps the server from starting; other errors keep their words. */
export function describeStartError(error: unknown, place: Place): string {
  const code = findCode(error);
  if (isDiskFull(error) || (code === DATABASE_FULL && place.DATABASE_URL === undefined)) return describeFullDisk(place);
  if (error instanceof ClusterStartError) {
    return isFull(place.DATA_DIR)
      ? describeFullDisk(place)
      : `Die Datenbank startet nicht. Der Grund steht in ${place.DATA_DIR}/postgres/postgres.log.\n${error.message}`;
  }
  if (error instanceof UnknownMigrationsError) return describeNewer(error, place);
  if (error instanceof EarlierDatabaseError) return EARLIER_DATABASE;
  if (isFileError(error) && (UNWRITABLE.test(code) || (code === NOT_MADE && error.syscall === 'mkdir'))) {
    return `In ${place.DATA_DIR} kann dieses Konto nicht schreiben. Gib ihm dort Rechte, oder wähle mit DATA_DIR einen anderen Ordner.`;
  }
  return describeDatabaseError(error, place) ?? getMessage(error);
}

/**
 * Says what is wrong with DATABASE_URL; undefined for errors of another kind. Shows host and database of the address,
 * never name or password.
 */
export function describeDatabaseError(error: unknown, { DATABASE_URL: address }: Place): string | undefined {
  if (address === undefined) return undefined;
  const { host, pathname } = new URL(address);
  const [code, message] = [findCode(error), getMessage(error)];
  if (error instanceof OldDatabaseError)
    return `Die Datenbank bei ${host} ist PostgreSQL ${error.version}; gebraucht wird ${error.least} oder neuer. Prüfe DATABASE_URL.`;
  if (UNKNOWN_HOST.test(code)) return `Den Datenbankrechner ${host} gibt es nicht. Prüfe DATABASE_URL.`;
  if (UNREACHABLE.test(code) || NO_ANSWER.test(message))
    return `Unter ${host} antwortet keine Datenbank. Prüfe Rechner und Port in DATABASE_URL.`;
  if (code === WRONG_PASSWORD || NO_PASSWORD.test(message))
    return `Die Datenbank bei ${host} nimmt Name oder Passwort nicht an. Prüfe DATABASE_URL.`;
  if (code === NOT_ADMITTED)
    return `Die Datenbank bei ${host} lässt diese Verbindung nicht zu. Prüfe Name und sslmode in DATABASE_URL, und ob sie diesen Rechner zulässt.`;
  if (code === UNKNOWN_DATABASE)
    return `Die Datenbank „${pathname.slice(1)}“ gibt es bei ${host} nicht. Prüfe DATABASE_URL.`;
  if (code === NO_UTF8)
    return (
      `Die Datenbank „${pathname.slice(1)}“ bei ${host} fasst nicht jedes Zeichen. ` +
      "Lege sie mit encoding 'UTF8' und template0 neu an."
    );
  if (code === DATABASE_FULL) return `Der Datenträger der Datenbank bei ${host} ist voll. Schaffe dort Platz.`;
  return describeTlsError(code, message, host) ?? (code === NO_RIGHT ? TOO_FEW_RIGHTS : undefined);
}

const EARLIER_DATABASE =
  'Dieses Programm ist neuer als die Datenbank. Starte erst den Server neu: Er bringt sie auf den Stand. ' +
  'Es wurde nichts geändert.';

const TOO_FEW_RIGHTS =
  'Die Rolle in DATABASE_URL darf zu wenig. Sie muss Superuser sein, oder CREATEROLE und BYPASSRLS haben und die Datenbank besitzen.';

function describeTlsError(code: string, message: string, host: string): string | undefined {
  if (NO_TLS.test(message)) return `Die Datenbank bei ${host} spricht kein TLS. Prüfe sslmode in DATABASE_URL.`;
  if (!BAD_CERTIFICATE.test(code)) return undefined;
  return `Dem Zertifikat der Datenbank bei ${host} wird nicht vertraut (${code}). Nenne seine Ausgabestelle mit sslrootcert in DATABASE_URL.`;
}

function describeNewer({ names }: UnknownMigrationsError, { DATA_DIR, DATABASE_URL }: Place): string {
  const where = DATABASE_URL === undefined ? `in ${DATA_DIR}` : 'aus DATABASE_URL';
  return [
    `Mit der Datenbank ${where} hat eine neuere Version gearbeitet; hier fehlen ihre Migrationen: ${names.join(', ')}.`,
    'Es wurde nichts geändert. Nimm die neuere Version, oder spiele eine ältere Sicherung in einen leeren Ordner ein.',
  ].join('\n');
}

/** Node reports several addresses of a host together; a migration that failed has the database's error as its cause. */
function findCode(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  const cause = error instanceof Error ? error.cause : undefined;
  return getErrorCode(error) ?? getErrorCode(first) ?? getErrorCode(cause) ?? '';
}

function isFileError(error: unknown): error is Error & Readonly<{ syscall: unknown }> {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

function describeFullDisk({ DATA_DIR }: Place): string {
  return `Der Datenträger von ${DATA_DIR} ist voll. Schaffe Platz, oder wähle mit DATA_DIR einen anderen Ordner.`;
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < LEAST_BYTES;
  } catch {
    return false;
  }
}

/** Says in words which setting keeps the server from listening; other errors stay as they are. */
export function describeListenError(error: unknown, address: Readonly<{ host: string; port: number }>): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const { host, port } = address;
  if (code === 'EADDRINUSE') {
    return new Error(`Port ${port} ist schon belegt. Beende das andere Programm, oder wähle einen anderen mit PORT.`);
  }
  if (code === 'EACCES') {
    return new Error(`Port ${port} darf dieses Konto nicht öffnen. Wähle mit PORT einen ab 1024.`);
  }
  if (code === 'EADDRNOTAVAIL' || UNKNOWN_HOST.test(String(code)))
    return new Error(`Die Adresse ${host} gibt es hier nicht. Sie steht in HOST.`);
  return error;
}
