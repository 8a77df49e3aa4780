import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCodes } from './one-time-codes.ts';

const codes = createCodes(Buffer.from('secret of one server'));

test('Issues a code of the given length with a hash of 224 bits in hex (contract §1.6)', () => {
  const { code, hash } = codes.issue('a@beispiel.test', 8);
  expect(code).toMatch(/^\d{8}$/);
  expect(hash).toMatch(/^[0-9a-f]{56}$/);
  expect(codes.hash('a@beispiel.test', code)).toBe(hash);
  expect(codes.hash('b@beispiel.test', code)).not.toBe(hash);
});

test('threat 13 Keys the hash, so that address and code alone give no link token', () => {
  const { code, hash } = codes.issue('a@beispiel.test', 6);
  expect(createHash('sha224').update(`a@beispiel.test${code}`).digest('hex')).not.toBe(hash);
  expect(createCodes(Buffer.from('another secret')).hash('a@beispiel.test', code)).not.toBe(hash);
});

test('threat 13 Keeps address and code apart, so that no digit counts for either', () => {
  expect(codes.hash('a@beispiel.test1', '23456')).not.toBe(codes.hash('a@beispiel.test', '123456'));
});
