import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * What somebody may read who brings the code, and nobody else: the table holds the code's hash and texts sealed under
 * the code itself (AES-256-GCM), so a copy of the table opens neither a session nor an account at another provider.
 */
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function codeDigest(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

export function seal(text: string, code: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(code), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Throws where code and text do not belong together. */
export function unseal(sealed: string, code: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(code), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
}

function keyOf(code: string): Buffer {
  return Buffer.from(hkdfSync('sha256', code, '', 'tokens of another provider', 32));
}
