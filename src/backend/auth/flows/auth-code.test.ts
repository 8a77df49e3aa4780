import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashCode, seal, unseal } from './auth-code.ts';

test('Decrypts a text only with its own code', () => {
  const code = randomUUID();
  const sealed = seal('ya29.token', code);
  expect(unseal(sealed, code)).toBe('ya29.token');
  expect(sealed).not.toContain('ya29');
  expect(seal('ya29.token', code)).not.toBe(sealed);
  for (const other of [randomUUID(), hashCode(code), '']) expect(() => unseal(sealed, other)).toThrow();
  expect(() => unseal(sealed.slice(0, -2), code)).toThrow();
});
