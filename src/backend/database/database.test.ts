import { expect, test, vi } from 'vitest';
import { deriveAuthenticatorPassword, buildAuthenticatorUrl, openDatabase } from './database.ts';

const OWNER = 'postgres://postgres:geheim%40wort@localhost/app?host=%2Ftmp%2Fpg';

test('architecture: callers connect as authenticator, to the same database', () => {
  const url = new URL(buildAuthenticatorUrl(OWNER));
  expect(url.username).toBe('authenticator');
  expect(url.pathname).toBe('/app');
  expect(url.searchParams.get('host')).toBe('/tmp/pg');
  expect(url.href).not.toContain('geheim');
});

test('every server that knows the owner’s address finds the same password; another owner’s differs', () => {
  expect(deriveAuthenticatorPassword(OWNER)).toBe(deriveAuthenticatorPassword(OWNER.replace('/app', '/other')));
  expect(deriveAuthenticatorPassword(OWNER)).not.toBe(deriveAuthenticatorPassword(OWNER.replace('geheim', 'anders')));
  expect(deriveAuthenticatorPassword(OWNER)).toMatch(/^[\w-]{43}$/);
});

test('wherever the owner’s password stands, and however it is written, all servers find the same one', () => {
  const derived = deriveAuthenticatorPassword(OWNER);
  expect(deriveAuthenticatorPassword(OWNER.replace('geheim', '%67eheim'))).toBe(derived);
  const percent = OWNER.replace('geheim', '100%');
  expect(deriveAuthenticatorPassword(percent), 'no escape, to the driver').toMatch(/^[\w-]{43}$/);
  vi.stubEnv('PGPASSWORD', 'geheim@wort');
  try {
    expect(deriveAuthenticatorPassword(OWNER.replace(':geheim%40wort', ''))).toBe(derived);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a database that is not there is an error of the call', async () => {
  const url = 'postgres://postgres:x@localhost/app?host=%2Fnowhere';
  const database = openDatabase({ url, reconnectTimeoutMs: 0, onError: () => undefined });
  await expect(database.ping()).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(database.asOwner(async () => undefined)).rejects.toMatchObject({ code: 'ENOENT' });
  await database.close();
});
