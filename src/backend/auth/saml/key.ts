import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { ProjectConfig } from '../../config.ts';
import type { Database } from '../../database/index.ts';
import { selfSignedCertificate } from './certificate.ts';

type Pair = Readonly<{ privateKey: string; certificate: string }>;

/** What this service signs its requests to identity providers with and decrypts their assertions with; all PEM. */
export type SamlKey = Pair & Readonly<{ next: Pair | undefined }>;

const generate = promisify(generateKeyPair);
const SHORTEST_BITS = 2_048;
const FRESH_BITS = 3_072;

/** `[auth.saml] private_key` and `private_key_next`, or one made at first need and kept for all servers. Throws where the key is none. */
export async function openSamlKey(
  saml: ProjectConfig['auth']['saml'],
  database: Database,
  externalUrl: string,
): Promise<SamlKey> {
  const { private_key: given, private_key_next: next } = saml;
  const pair = (privateKey: string): Pair => ({
    privateKey,
    certificate: selfSignedCertificate(privateKey, new URL(externalUrl).hostname),
  });
  return {
    ...pair(given === undefined ? await storedKey(database) : pemOf(configuredKey(given))),
    next: next === undefined ? undefined : pair(pemOf(configuredKey(next))),
  };
}

function configuredKey(text: string): KeyObject {
  const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs1' });
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < SHORTEST_BITS) {
    throw new Error('SAML private key must be at least RSA 2048');
  }
  return key;
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Two servers may need it first at once: whoever comes second takes what the first one wrote. */
async function storedKey(database: Database): Promise<string> {
  const read = (): Promise<string | undefined> =>
    database.asOwner(async (tx) => {
      const sql = `select value from _backend.secrets where name = 'saml'`;
      return (await tx.query<{ value: { privateKey: string } }>(sql)).rows[0]?.value.privateKey;
    });
  const known = await read();
  if (known !== undefined) return known;
  const { privateKey } = await generate('rsa', { modulusLength: FRESH_BITS });
  const value = JSON.stringify({ privateKey: pemOf(privateKey) });
  await database.asOwner((tx) =>
    tx.query(`insert into _backend.secrets (name, value) values ('saml', $1) on conflict (name) do nothing`, [value]),
  );
  return (await read()) ?? pemOf(privateKey);
}
