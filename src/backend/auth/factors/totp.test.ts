import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { verifyTotp, createTotp } from './totp.ts';

// RFC 6238, appendix B: the secret of SHA1, codes cut to six digits.
const RFC = Secret.fromUTF8('12345678901234567890').base32;

describe('RFC 6238 test vectors', () => {
  test.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_111_111_111, '050471', 37_037_037],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
    [20_000_000_000, '353130', 666_666_666],
  ])('at %i s the code is %s, step %i', (seconds, code, step) => {
    expect(verifyTotp(RFC, code, { now: seconds * 1_000, lastStep: undefined })).toBe(step);
  });
});

describe('contract §1.4 Accepts codes of ±1 step, each once', () => {
  const at = 100 * 30_000;
  const code = (step: number): string =>
    new TOTP({ secret: Secret.fromBase32(RFC) }).generate({ timestamp: step * 30_000 });
  test.each([
    [98, undefined, undefined],
    [99, undefined, 99],
    [100, undefined, 100],
    [101, undefined, 101],
    [102, undefined, undefined],
    [100, 100, undefined],
    [99, 100, undefined],
    [101, 100, 101],
  ])('the code of step %i at step 100, last used %j → %j', (step, lastStep, expected) => {
    expect(verifyTotp(RFC, code(step), { now: at, lastStep })).toBe(expected);
  });
  test.each(['', '12345', '1234567', '12345a', ' 123456', '１２３４５６', '-12345'])(
    'Rejects %j as a code',
    (given) => {
      expect(verifyTotp(RFC, given, { now: at, lastStep: undefined })).toBeUndefined();
    },
  );
});

test('Creates a secret of 160 bits and a QR code for a data URI', () => {
  const made = createTotp('Verband & Söhne', 'ada@beispiel.test');
  expect(made.secret).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(made.uri);
  expect(uri.protocol).toBe('otpauth:');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Verband & Söhne',
    secret: made.secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect(made.qr_code).toMatch(/^<svg [^#%]*<\/svg>$/s);
  expect(createTotp('a', 'b').secret).not.toBe(createTotp('a', 'b').secret);
});
