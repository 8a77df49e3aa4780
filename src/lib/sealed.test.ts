import { expect, test } from 'vitest';
import { decrypt, deriveKey, encrypt, seal, unseal } from './sealed.ts';

test('Opens with the same secret and purpose only', () => {
  const sealed = seal('secret', 'links', 'grüß dich');
  expect(unseal('secret', 'links', sealed)).toBe('grüß dich');
  expect(() => unseal('another', 'links', sealed)).toThrow();
  expect(() => unseal('secret', 'tickets', sealed)).toThrow();
});

test('Notices each changed or missing byte', () => {
  const sealed = seal('secret', 'links', 'text');
  for (let place = 0; place < sealed.length; place += 1) {
    const changed = Buffer.from(sealed);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(() => unseal('secret', 'links', changed)).toThrow();
    expect(() => unseal('secret', 'links', sealed.subarray(0, place))).toThrow();
  }
});

test('Encrypts the same text differently each time', () => {
  const key = deriveKey('secret', 'links');
  const [first, second] = [encrypt(key, 'text'), encrypt(key, 'text')];
  expect(first.body.equals(second.body)).toBe(false);
  expect([decrypt(key, first), decrypt(key, second)]).toEqual(['text', 'text']);
});

const SEALED_BEFORE = '2lo5NAwooWrVcvS_FQIEpXRlD9RyEktc7tXwSoqkMnXRuaU';

test('Reads what earlier versions have stored', () => {
  const sealed = Buffer.from(SEALED_BEFORE, 'base64url');
  expect(unseal('ticket', 'what a ticket stands for', sealed)).toBe('{"a":1}');
});
