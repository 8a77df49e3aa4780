import { createHash, createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { ProjectConfig } from '../../config.ts';
import type { Database } from '../../database/index.ts';

type Pair = Readonly<{ privateKey: string; certificate: string }>;

/** The key that signs requests to identity providers and decrypts their assertions, and its certificate; all PEM. */
export type SamlKey = Pair & Readonly<{ next: Pair | undefined }>;

const generate = promisify(generateKeyPair);
const MIN_BITS = 2_048;
const NEW_KEY_BITS = 3_072;

/**
 * Reads `[auth.saml] private_key` and `private_key_next`, or creates a key that all servers share. Throws where a key
 * is invalid.
 */
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
    ...pair(given === undefined ? await loadStoredKey(database) : toPem(parseConfiguredKey(given))),
    next: next === undefined ? undefined : pair(toPem(parseConfiguredKey(next))),
  };
}

function parseConfiguredKey(text: string): KeyObject {
  const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs1' });
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_BITS) {
    throw new Error('SAML private key must be at least RSA 2048');
  }
  return key;
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Of two servers that start at once, the second uses the key that the first wrote. */
async function loadStoredKey(database: Database): Promise<string> {
  const read = (): Promise<string | undefined> =>
    database.asOwner(async (tx) => {
      const sql = `select value from _backend.secrets where name = 'saml'`;
      return (await tx.query<{ value: { privateKey: string } }>(sql)).rows[0]?.value.privateKey;
    });
  const known = await read();
  if (known !== undefined) return known;
  const { privateKey } = await generate('rsa', { modulusLength: NEW_KEY_BITS });
  const value = JSON.stringify({ privateKey: toPem(privateKey) });
  await database.asOwner((tx) =>
    tx.query(`insert into _backend.secrets (name, value) values ('saml', $1) on conflict (name) do nothing`, [value]),
  );
  return (await read()) ?? toPem(privateKey);
}

/**
 * Wraps the public half of an RSA key in a self-signed certificate (RFC 5280, version 1), as SAML metadata require. Its
 * issuer and dates carry no trust, so it derives from the key alone and is the same at every start.
 */
export function selfSignedCertificate(privateKey: string, commonName: string): string {
  const key = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' });
  const name = sequence(set(sequence(COMMON_NAME, element(0x0c, Buffer.from(commonName)))));
  const validity = sequence(time('20200101000000Z'), time('21200101000000Z'));
  const serial = element(
    0x02,
    Buffer.concat([Buffer.from([0x01]), createHash('sha256').update(key).digest().subarray(0, 15)]),
  );
  const content = sequence(serial, SHA256_WITH_RSA, name, validity, name, key);
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]));
  const body =
    sequence(content, SHA256_WITH_RSA, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...body, '-----END CERTIFICATE-----', ''].join('\n');
}

/** One element of DER: tag, length, content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return element(0x31, part);
}

/** GeneralizedTime; UTCTime ends in 2049. */
function time(text: string): Buffer {
  return element(0x18, Buffer.from(text));
}

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
