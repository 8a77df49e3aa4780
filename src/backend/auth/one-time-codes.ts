import { createHmac, hkdfSync, randomInt } from 'node:crypto';

/** A code to type in and its hash, which is the token of a link. */
export type OneTimeCode = Readonly<{ code: string; hash: string }>;

/**
 * One-time codes for an address or a phone number (supabase-contract §1.6). The hash has upstream's form, 224 bits in
 * hex, but is keyed by the server: a link's token is this hash, and without the key an attacker cannot try the few
 * possible codes as links, past the limits for codes. The line break, which no address has, keeps digits of the code
 * from counting as the end of an address, whose guesses would be counted apart.
 */
export function createCodes(serverSecret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', serverSecret, '', 'one-time codes', 32));
  const hash = (relatesTo: string, code: string): string =>
    createHmac('sha224', key).update(`${relatesTo}\n${code}`).digest('hex');
  return {
    issue: (relatesTo: string, digits: number): OneTimeCode => {
      const code = Array.from({ length: digits }, () => randomInt(10)).join('');
      return { code, hash: hash(relatesTo, code) };
    },
    hash,
  };
}

export type Codes = ReturnType<typeof createCodes>;
