import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

/**
 * Encrypts small secrets for the database, in the form upstream stores them: AES-256-GCM under a key of its own for each
 * row, so that a value copied to another row opens there no more.
 */
export type SecretBox = Readonly<{
  seal: (rowId: string, secret: string) => string;
  /** Throws where the value was not sealed for this row by this server's key. */
  open: (rowId: string, sealed: string) => string;
}>;

const ALGORITHM = 'aes-gcm-hkdf';
const KEY_ID = 'ring';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const Sealed = z.object({ alg: z.literal(ALGORITHM), data: z.base64(), nonce: z.base64() });

export function createSecretBox(serverSecret: Uint8Array): SecretBox {
  const root = Buffer.from(hkdfSync('sha256', serverSecret, '', 'secrets of second factors', 32));
  const keyOf = (rowId: string): Buffer => Buffer.from(hkdfSync('sha256', root, '', rowId, 32));
  return {
    seal: (rowId, secret) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyOf(rowId), nonce);
      const data = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      const sealed = { key_id: KEY_ID, alg: ALGORITHM, data: data.toString('base64'), nonce: nonce.toString('base64') };
      return JSON.stringify(sealed);
    },
    open: (rowId, sealed) => {
      const { data, nonce } = Sealed.parse(JSON.parse(sealed));
      const bytes = Buffer.from(data, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', keyOf(rowId), Buffer.from(nonce, 'base64'));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
