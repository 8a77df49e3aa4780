import { describe, expect, test } from 'vitest';
import { parseEmail, parsePhone } from './addresses.ts';

describe('e-mail addresses', () => {
  test.each([
    ['A@Beispiel.TEST', 'a@beispiel.test'],
    ['a.b+c@x-y.example', 'a.b+c@x-y.example'],
    ["o'b@x.test", "o'b@x.test"],
  ])('%s → %s', (given, expected) => expect(parseEmail(given)).toBe(expected));
  test.each([
    '',
    'a',
    'a@',
    '@b',
    'a b@c.test',
    'a@b@c.test',
    'a@-b.test',
    'a@b..test',
    'a@b.test\r\nBcc: x@y.test',
    `${'a'.repeat(250)}@b.test`,
  ])('%j is refused', (given) => expect(() => parseEmail(given)).toThrow());
});

test('Strips separators from phone numbers', () => {
  expect(parsePhone('+49 (170) 123-4567')).toBe('491701234567');
  for (const bad of ['', '0', '012', 'abc', '1'.repeat(16)]) expect(() => parsePhone(bad)).toThrow('E.164');
});
