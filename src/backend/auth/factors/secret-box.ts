import { z } from 'zod';
import { decrypt, deriveKey, encrypt } from '#lib/sealed.ts';

const ALGORITHM = 'aes-gcm-hkdf';
const KEY_ID = 'ring';
const TAG_BYTES = 16;

const Sealed = z.object({ alg: z.literal(ALGORITHM), data: z.base64(), nonce: z.base64() });

/**
 * Encrypts small secrets for the database in upstream's stored form: AES-256-GCM with one key per row, so that a value
 * copied to another row cannot be decrypted.
 */
export function createSecretBox(serverSecret: Uint8Array) {
  const root = deriveKey(serverSecret, 'secrets of second factors');
  return {
    seal: (rowId: string, secret: string): string => {
      const { iv, tag, body } = encrypt(deriveKey(root, rowId), secret);
      const data = Buffer.concat([body, tag]).toString('base64');
      return JSON.stringify({ key_id: KEY_ID, alg: ALGORITHM, data, nonce: iv.toString('base64') });
    },
    /** Throws where the value was not sealed for this row by this server's key. */
    open: (rowId: string, sealed: string): string => {
      const { data, nonce } = Sealed.parse(JSON.parse(sealed));
      const bytes = Buffer.from(data, 'base64');
      const [body, tag] = [bytes.subarray(0, -TAG_BYTES), bytes.subarray(-TAG_BYTES)];
      return decrypt(deriveKey(root, rowId), { iv: Buffer.from(nonce, 'base64'), tag, body });
    },
  };
}

export type SecretBox = ReturnType<typeof createSecretBox>;
