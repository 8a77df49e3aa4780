import { expect, test } from 'vitest';
import { MAILBOX_PATTERN, readAddress } from './addresses.ts';

test.each([
  [' Mira+x@Firma.test ', 'Mira+x@Firma.test'],
  ['Mira Muster <mira@firma.test>', 'mira@firma.test'],
  ['"Muster, Mira" <mailto:mira@firma.test>;', 'mira@firma.test'],
  ['MAILTO:mira@firma.test', 'mira@firma.test'],
  ['mira@firma.test.', 'mira@firma.test'],
  ['\u202Amira\u200B@fir\u00ADma.test\u202C', 'mira@firma.test'],
  ['mira@firma.test\u00A0', 'mira@firma.test'],
  ['mira@bücher.test', 'mira@xn--bcher-kva.test'],
  ['mira@bu\u0308cher.test', 'mira@xn--bcher-kva.test'],
  ['mira@müller.компания', 'mira@xn--mller-kva.xn--80aqeigdi5k'],
])('§5 %j was meant as %s', (typed, address) => {
  expect(readAddress(typed)).toBe(address);
  expect(readAddress(address)).toBe(address);
  expect(address).toMatch(MAILBOX_PATTERN);
});

test.each([
  '',
  'mira',
  '@firma.test',
  'a b@firma.test',
  'a@b.test, c@d.test',
  'ädä@firma.test',
  'mira@bücher',
  'a@b<c.test',
])('§5 %j stays what it is and is no address', (typed) => {
  expect(readAddress(typed)).not.toMatch(MAILBOX_PATTERN);
});
