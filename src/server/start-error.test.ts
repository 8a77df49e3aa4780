import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { ClusterStartError, OldDatabaseError, UnknownMigrationsError } from '#backend/maintenance.ts';
import { describeDatabaseError, describeListenError, describeStartError } from './start-error.ts';

const PLACE = { DATA_DIR: '/srv/beitrag', DATABASE_URL: 'postgres://owner:geheim@db.test:5432/beitrag' };
const withCode = (code: string, facts: object = {}): Error => Object.assign(new Error('x'), { code, ...facts });
const atFile = { syscall: 'mkdir', path: '/srv/beitrag' };

test.each([
  ['ENOTFOUND', 'Den Datenbankrechner db.test:5432 gibt es nicht. Prüfe DATABASE_URL.'],
  ['ECONNREFUSED', 'Unter db.test:5432 antwortet keine Datenbank. Prüfe Rechner und Port in DATABASE_URL.'],
  ['28P01', 'Die Datenbank bei db.test:5432 nimmt Name oder Passwort nicht an. Prüfe DATABASE_URL.'],
  ['3D000', 'Die Datenbank „beitrag“ gibt es bei db.test:5432 nicht. Prüfe DATABASE_URL.'],
])('A database that cannot be used names DATABASE_URL, and no password: %s', (code, words) => {
  expect(describeStartError(withCode(code), PLACE)).toBe(words);
  expect(describeStartError(new AggregateError([withCode(code)]), PLACE)).toBe(words);
});

const withMessage = (message: string): Error => new Error(message);

test.each([
  [withMessage('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), /Name oder Passwort nicht an/],
  [withMessage('Connection terminated due to connection timeout'), /antwortet keine Datenbank/],
  [withMessage('timeout exceeded when trying to connect'), /antwortet keine Datenbank/],
  [withMessage('The server does not support SSL connections'), /spricht kein TLS. Prüfe sslmode/],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), /nicht vertraut \(DEPTH_ZERO_SELF_SIGNED_CERT\).*sslrootcert/],
  [withCode('28000'), /lässt diese Verbindung nicht zu. Prüfe Name und sslmode/],
  [withCode('22P05'), /„beitrag“ bei db.test:5432 fasst nicht jedes Zeichen. Lege sie mit encoding 'UTF8'/],
  [withCode('53100'), /^Der Datenträger der Datenbank bei db.test:5432 ist voll/],
  [new Error('Migration 1_a.sql failed', { cause: withCode('42501') }), /darf zu wenig. Sie muss Superuser sein/],
  [new OldDatabaseError(15), /ist PostgreSQL 15; gebraucht wird 16 oder neuer/],
])('What is wrong with DATABASE_URL is said in German, without name and password: %s', (error, words) => {
  const said = describeStartError(error, PLACE);
  expect(said).toMatch(words);
  expect(said).not.toMatch(/owner|geheim/);
  expect(describeDatabaseError(error, { ...PLACE, DATABASE_URL: undefined })).toBeUndefined();
});

test.each(['EACCES', 'EROFS', 'ENOTDIR', 'ENOENT'])('A folder that cannot be written to names DATA_DIR: %s', (code) => {
  expect(describeStartError(withCode(code, atFile), PLACE)).toMatch(
    /^In \/srv\/beitrag kann dieses Konto nicht schreiben.*DATA_DIR/,
  );
});

test('A full disk names DATA_DIR, whether a file or the database met it', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    expect(describeStartError(withCode(code), { ...PLACE, DATABASE_URL: undefined })).toMatch(
      /^Der Datenträger von \/srv\/beitrag ist voll\..*DATA_DIR/,
    );
  }
});

test('A database that does not start names its log', () => {
  expect(describeStartError(new ClusterStartError('see the log'), PLACE)).toContain('postgres/postgres.log');
});

test('A database that a newer version has migrated is named with the way on', () => {
  const error = new UnknownMigrationsError(['20261201090000', '20261201100000']);
  expect(describeStartError(error, { DATA_DIR: '/srv/beitrag', DATABASE_URL: undefined })).toBe(
    'Mit der Datenbank in /srv/beitrag hat eine neuere Version gearbeitet; hier fehlen ihre Migrationen: 20261201090000, 20261201100000.\n' +
      'Es wurde nichts geändert. Nimm die neuere Version, oder spiele eine ältere Sicherung in einen leeren Ordner ein.',
  );
  expect(describeStartError(error, PLACE)).toContain('Mit der Datenbank aus DATABASE_URL');
});

test('Other errors keep their words', () => {
  expect(describeStartError(new Error('Port 3000 ist schon belegt.'), PLACE)).toBe('Port 3000 ist schon belegt.');
  expect(describeStartError(withCode('ECONNREFUSED'), { DATA_DIR: '/x', DATABASE_URL: undefined })).toBe('x');
});

const address = { host: '127.0.0.1', port: 3000 };

test('A taken port is said in words and names its setting', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const taken = first.address();
  const second = createServer().listen(typeof taken === 'object' ? (taken?.port ?? 0) : 0, '127.0.0.1');
  const error = await new Promise((resolve) => second.once('error', resolve));
  first.close();
  expect(String(describeListenError(error, address))).toBe(
    'Error: Port 3000 ist schon belegt. Beende das andere Programm, oder wähle einen anderen mit PORT.',
  );
});

test.each(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'])('An address that is not here names HOST: %s', (code) => {
  expect(describeListenError(withCode(code), { host: 'beitrag', port: 3000 })).toEqual(
    new Error('Die Adresse beitrag gibt es hier nicht. Sie steht in HOST.'),
  );
});

test('An error of another kind stays as it is', () => {
  const error = new RangeError('provoked');
  expect(describeListenError(error, address)).toBe(error);
});
