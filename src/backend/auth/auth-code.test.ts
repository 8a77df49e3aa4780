import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashCode, parseCodeChallenge, seal, unseal, verifierMatches } from './auth-code.ts';

test('Decrypts a text only with its own code', () => {
  const code = randomUUID();
  const sealed = seal('ya29.token', code);
  expect(unseal(sealed, code)).toBe('ya29.token');
  expect(sealed).not.toContain('ya29');
  expect(seal('ya29.token', code)).not.toBe(sealed);
  for (const other of [randomUUID(), hashCode(code), '']) expect(() => unseal(sealed, other)).toThrow();
  expect(() => unseal(sealed.slice(0, -2), code)).toThrow();
});

const CHALLENGE = 'a'.repeat(43);
const read = (code_challenge: string, code_challenge_method: string) =>
  parseCodeChallenge({ code_challenge, code_challenge_method });

describe('contract §1.6 code challenges', () => {
  test('neither member: the implicit flow', () => expect(read('', '')).toBeUndefined());

  test.each([
    [CHALLENGE, 's256'],
    [CHALLENGE, 'S256'],
    ['A.b_c~9-'.repeat(16), 'plain'],
  ])('%s with %s is read', (challenge, method) => {
    expect(read(challenge, method)).toEqual({ challenge, method: method.toLowerCase() });
  });

  test.each([
    [CHALLENGE, '', 'PKCE flow requires code_challenge_method and code_challenge'],
    ['', 's256', 'PKCE flow requires code_challenge_method and code_challenge'],
    ['a'.repeat(42), 's256', 'code challenge has to be between 43 and 128 characters'],
    ['a'.repeat(129), 's256', 'code challenge has to be between 43 and 128 characters'],
    [`${CHALLENGE}+`, 's256', 'code challenge can only contain alphanumeric'],
    [`${CHALLENGE}\n`, 's256', 'code challenge can only contain alphanumeric'],
    [CHALLENGE, 'md5', 'Invalid code_challenge_method'],
  ])('%j with %j is refused', (challenge, method, message) => {
    expect(() => read(challenge, method)).toThrow(message);
  });
});

describe('RFC 7636 §4.6 verifiers', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const s256 = createHash('sha256').update(verifier).digest('base64url');
  test('the example of the standard', () => expect(s256).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'));
  test.each([
    [{ challenge: s256, method: 's256' }, verifier, true],
    [{ challenge: s256, method: 's256' }, s256, false],
    [{ challenge: verifier, method: 'plain' }, verifier, true],
    [{ challenge: verifier, method: 'plain' }, `${verifier}x`, false],
    [{ challenge: s256, method: 's256' }, '', false],
  ] as const)('%j and %j: %s', (challenge, given, matches) => {
    expect(verifierMatches(challenge, given)).toBe(matches);
  });
});
