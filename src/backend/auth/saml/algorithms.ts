import { attributesOf } from './xml.ts';

/** BSI TR-02102: no SHA-1 in signatures, also where the library would take it. */
const SIGNATURES = new Set(['rsa-sha256', 'rsa-sha384', 'rsa-sha512', 'ecdsa-sha256', 'ecdsa-sha384', 'ecdsa-sha512']);
const DIGESTS = new Set(['sha256', 'sha384', 'sha512']);
/** No RSA with PKCS #1 v1.5, whose padding can be asked for, and no Triple DES. */
const ENCRYPTIONS = new Set([
  'rsa-oaep-mgf1p',
  'rsa-oaep',
  'aes128-gcm',
  'aes192-gcm',
  'aes256-gcm',
  'aes128-cbc',
  'aes192-cbc',
  'aes256-cbc',
]);
/** The digest of a key that is encrypted with OAEP is no signature: SHA-1 does no harm there. */
const VISIBLE = { outside: 'EncryptedAssertion' } as const;

/** Throws where what can be read of a document is signed in a way that proves little. */
export function checkSignatures(root: unknown): void {
  if (!named(attributesOf(root, 'SignatureMethod', 'Algorithm', VISIBLE), SIGNATURES))
    throw new Error('weak signature');
  if (!named(attributesOf(root, 'DigestMethod', 'Algorithm', VISIBLE), DIGESTS)) throw new Error('weak digest');
}

/** Throws where an assertion is encrypted in a way that hides little. */
export function checkEncryption(root: unknown): void {
  if (!named(attributesOf(root, 'EncryptionMethod', 'Algorithm'), ENCRYPTIONS)) throw new Error('weak encryption');
}

function named(algorithms: readonly string[], known: ReadonlySet<string>): boolean {
  return algorithms.every((uri) => known.has(uri.split('#').at(-1) ?? ''));
}
