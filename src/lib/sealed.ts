import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** AES-256-GCM: encrypted and authenticated, so a changed byte or another key is noticed. */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Secret = string | Uint8Array;
type Encrypted = Readonly<{ iv: Buffer; tag: Buffer; body: Buffer }>;

/** Keys with another `purpose` open nothing of each other. */
export function deriveKey(secret: Secret, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

export function encrypt(key: Buffer, text: string): Encrypted {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { iv, tag: cipher.getAuthTag(), body };
}

/** Throws where the key is another one, or a byte was changed. */
export function decrypt(key: Buffer, { iv, tag, body }: Encrypted): string {
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
}

/** Encrypts under a key derived from `secret` and `purpose`: the bytes alone open nothing. */
export function seal(secret: Secret, purpose: string, text: string): Buffer {
  const { iv, tag, body } = encrypt(deriveKey(secret, purpose), text);
  return Buffer.concat([iv, tag, body]);
}

/** Throws where secret, purpose and bytes do not belong together. */
export function unseal(secret: Secret, purpose: string, sealed: Buffer): string {
  const [iv, rest] = splitAt(sealed, IV_BYTES);
  const [tag, body] = splitAt(rest, TAG_BYTES);
  return decrypt(deriveKey(secret, purpose), { iv, tag, body });
}

/** Finds a stored row by its secret without storing the secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function splitAt(bytes: Buffer, place: number): [Buffer, Buffer] {
  return [bytes.subarray(0, place), bytes.subarray(place)];
}
