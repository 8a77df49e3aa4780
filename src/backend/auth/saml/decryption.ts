import { decryptXml } from '@node-saml/node-saml/lib/xml.js';
import type { AuthContext } from '../context.ts';
import { checkEncryption, checkSignatures } from './algorithms.ts';
import { elementsOf, readXml } from './xml.ts';

/**
 * The key that an encrypted assertion was encrypted for; undefined where nothing is. An identity provider that still knows
 * the key before the last change finds it under `private_key_next`. Throws where encryption is off, weak or for others,
 * and where the assertion inside is signed weakly, which nobody sees from outside.
 */
export async function decryptionKeyFor(xml: string, root: unknown, context: AuthContext): Promise<string | undefined> {
  const count = elementsOf(root, 'EncryptedData').length;
  if (count === 0) return undefined;
  if (!context.auth.saml.allow_encrypted_assertions) throw new Error('encrypted, which is switched off');
  if (count > 1) throw new Error('more than one encrypted part');
  checkEncryption(root);
  const { privateKey, next } = await context.samlKey();
  for (const key of [privateKey, ...(next === undefined ? [] : [next.privateKey])]) {
    const opened = await decryptXml(xml, key).catch(() => undefined);
    if (opened === undefined) continue;
    checkSignatures(await readXml(opened));
    return key;
  }
  throw new Error('encrypted for somebody else');
}
