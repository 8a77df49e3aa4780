import { createHash, createHmac, createSecretKey, hkdfSync, randomInt } from 'node:crypto';

export const REFRESH_TOKEN = /^[a-z0-9]{12}$/;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 12;

/**
 * Refresh tokens: 12 characters `[a-z0-9]`, of which only the sha256 is stored. A token's child derives from it by a
 * server secret, so a client that lost the answer to a refresh gets the same child again although it is not stored, and
 * neither the table nor an old token reveals the next one.
 */
export function createTokenChain(serverSecret: Uint8Array) {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'refresh token chain', 32)));
  return {
    create: (): string => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
    deriveChild: (token: string): string => encodeDigest(createHmac('sha256', key).update(token).digest()),
  };
}

export type TokenChain = ReturnType<typeof createTokenChain>;

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function encodeDigest(digest: Buffer): string {
  let number = BigInt(`0x${digest.toString('hex')}`);
  let word = '';
  for (let position = 0; position < LENGTH; position += 1) {
    word += ALPHABET[Number(number % 36n)] ?? '';
    number /= 36n;
  }
  return word;
}
