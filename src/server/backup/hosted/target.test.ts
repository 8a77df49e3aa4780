import { describe, expect, test } from 'vitest';
import { checkAddresses } from './target.ts';
import { MoveError } from './errors.ts';

const REF = 'abcdefghijklmnopqrst';
const SAFE = '?sslmode=verify-full&sslrootcert=ca.crt';
const DIRECT = `postgres://postgres:w@db.${REF}.supabase.co:5432/postgres`;
const POOLER = `postgres://postgres.${REF}:w@aws-0-eu-central-1.pooler.supabase.com:5432/postgres`;

function getCode(url: string, databaseUrl: string): string | undefined {
  try {
    checkAddresses({ url, serviceKey: 'k', databaseUrl });
    return undefined;
  } catch (error) {
    return error instanceof MoveError ? error.code : 'something else';
  }
}

describe('addresses of the target', () => {
  test.each([
    [`https://${REF}.supabase.co`, DIRECT + SAFE],
    [`https://${REF}.supabase.co`, POOLER + SAFE],
    ['https://supabase.firma.example', `postgres://postgres:w@db.firma.example/postgres?sslmode=require`],
    ['http://127.0.0.1:54321', 'postgres://postgres:w@localhost:54322/postgres'],
    ['http://[::1]:54321', 'postgres://postgres:w@localhost/postgres?host=/var/run/postgresql'],
  ])('%s with %s', (url, databaseUrl) => expect(getCode(url, databaseUrl)).toBeUndefined());

  test.each([
    ['http://supabase.firma.example', DIRECT + SAFE, 'not_secret'],
    [`https://${REF}.supabase.co`, DIRECT, 'not_secret'],
    [`https://${REF}.supabase.co`, `${DIRECT}?sslmode=prefer`, 'not_secret'],
    ['https://a.example', 'postgres://postgres:w@localhost/postgres?host=db.firma.example', 'not_secret'],
    [`https://${REF}.supabase.co`, POOLER.replace('5432', '6543') + SAFE, 'pooler'],
    [`https://${'z'.repeat(20)}.supabase.co`, DIRECT + SAFE, 'other_project'],
    [`https://${'z'.repeat(20)}.supabase.co`, POOLER + SAFE, 'other_project'],
  ])('%s with %s: %s', (url, databaseUrl, code) => expect(getCode(url, databaseUrl)).toBe(code));
});
