import { digestSecret, seal as sealText, unseal as unsealText } from '#lib/sealed.ts';

/** Part of the stored bytes: another purpose opens no flow begun before. */
const PURPOSE = 'tokens of another provider';

export function codeDigest(code: string): string {
  return digestSecret(code).toString('hex');
}

/** Encrypts under the code, so a copy of the table opens neither a session nor an account at another provider. */
export function seal(text: string, code: string): string {
  return sealText(code, PURPOSE, text).toString('base64url');
}

/** Throws where code and text do not belong together. */
export function unseal(sealed: string, code: string): string {
  return unsealText(code, PURPOSE, Buffer.from(sealed, 'base64url'));
}
