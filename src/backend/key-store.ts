import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { z } from 'zod';
import { createSecretBox } from './auth/factors/secret-box.ts';
import type { Database, Tx } from './database/index.ts';

const Key = z.looseObject({ kid: z.string() }).transform((key): JWK & { kid: string } => key);

/** Secrets that every server on one database shares. */
const Stored = z.object({
  /** The first one signs. */
  signing: z.array(Key).min(1),
  /** Public keys of tokens that have not ended yet. */
  earlier: z.array(z.object({ key: Key, until: z.number() })).default([]),
  publishable: z.string(),
  secret: z.string(),
  /** The root secret (`serverSecret`), stored under the name of its first use. */
  url: z.string(),
});
export type StoredKeys = z.infer<typeof Stored>;

export type KeyInUse = Readonly<{
  id: string;
  /** When its last token has ended, in ms since 1970; undefined for the one that signs. */
  until: number | undefined;
}>;

/** How long another server may still sign with the old key, and a cache may lack the new one. */
const GRACE_MS = 15 * 60_000;

async function createKeys(): Promise<StoredKeys> {
  return {
    signing: [await newSigningKey()],
    earlier: [],
    publishable: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secret: `sb_secret_${randomBytes(32).toString('base64url')}`,
    url: randomBytes(32).toString('base64url'),
  };
}

/** Creates the secrets if missing. Of two servers that start at once, the second uses what the first wrote. */
export async function ensureStoredKeys(database: Database): Promise<StoredKeys> {
  const created = await createKeys();
  return database.asOwner(async (tx) => {
    await tx.query(`insert into _backend.secrets (name, value) values ('keys', $1) on conflict (name) do nothing`, [
      JSON.stringify(created),
    ]);
    return readKeys(tx);
  });
}

type Rotation = Readonly<{ now: number; tokenLifetimeS: number }>;

/** Makes a new key sign; the old one stays as a public key until its last token has expired. */
export async function rotateSigningKey(database: Database, rotation: Rotation): Promise<KeyInUse[]> {
  const { now, tokenLifetimeS } = rotation;
  const created = await newSigningKey();
  return updateKeys(database, (stored) => {
    const until = now + tokenLifetimeS * 1_000 + GRACE_MS;
    const retired = stored.signing.map((key) => ({ key: toPublicKey(key), until }));
    const running = stored.earlier.filter((earlier) => earlier.until > now);
    return { ...stored, signing: [created], earlier: [...retired, ...running] };
  });
}

/** Invalidates all tokens of a compromised key. The signing key is replaced. */
export async function withdrawKey(database: Database, id: string): Promise<KeyInUse[]> {
  const created = await newSigningKey();
  return updateKeys(database, (stored) => {
    const signing = stored.signing.filter(({ kid }) => kid !== id);
    const earlier = stored.earlier.filter(({ key }) => key.kid !== id);
    if (signing.length + earlier.length === stored.signing.length + stored.earlier.length)
      throw new UnknownKeyError(id);
    return { ...stored, signing: signing.length === 0 ? [created] : signing, earlier };
  });
}

/** Replaces all secrets, which ends every login and signed URL. No server may run: it would keep the old ones. */
export async function renewKeys(database: Database): Promise<KeyInUse[]> {
  const { publishable: _public, ...secrets } = await createKeys();
  return updateKeys(database, async (stored, tx) => {
    const [old, fresh] = [openBox(stored), openBox(secrets)];
    const sealed = `select id, secret from auth.mfa_factors where secret like '{%' for update`;
    for (const { id, secret } of (await tx.query<{ id: string; secret: string }>(sealed)).rows) {
      const again = fresh.seal(id, old.open(id, secret));
      await tx.query('update auth.mfa_factors set secret = $2 where id = $1', [id, again]);
    }
    await tx.query('delete from auth.sessions');
    return { ...stored, ...secrets };
  });
}

export class UnknownKeyError extends Error {}

export async function listKeysInUse(database: Database, now: number): Promise<KeyInUse[]> {
  return listKeys(await ensureStoredKeys(database)).filter(({ until }) => until === undefined || until > now);
}

function listKeys({ signing, earlier }: StoredKeys): KeyInUse[] {
  return [
    ...signing.map(({ kid }) => ({ id: kid, until: undefined })),
    ...earlier.map(({ key, until }) => ({ id: key.kid, until })),
  ];
}

const openBox = ({ url }: Pick<StoredKeys, 'url'>) => createSecretBox(Buffer.from(url, 'base64url'));

type Change = (stored: StoredKeys, tx: Tx) => StoredKeys | Promise<StoredKeys>;

async function updateKeys(database: Database, apply: Change): Promise<KeyInUse[]> {
  await ensureStoredKeys(database);
  return database.asOwner(async (tx) => {
    const changed = await apply(await readKeys(tx, 'for update'), tx);
    await tx.query(`update _backend.secrets set value = $1 where name = 'keys'`, [JSON.stringify(changed)]);
    return listKeys(changed);
  });
}

export async function readKeys(tx: Tx, lock: '' | 'for update' = ''): Promise<StoredKeys> {
  const result = await tx.query(`select value from _backend.secrets where name = 'keys' ${lock}`);
  return Stored.parse(result.rows[0]?.['value']);
}

async function newSigningKey(): Promise<JWK & { kid: string }> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: randomBytes(12).toString('base64url'), alg: 'ES256', use: 'sig', key_ops: ['sign'] };
}

const PRIVATE_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

export function getAlgorithm(key: JWK): string {
  return key.alg ?? (key.kty === 'RSA' ? 'RS256' : 'ES256');
}

export function toPublicKey<Key extends JWK>(key: Key): Key {
  const members = Object.entries(key).filter(([name]) => !PRIVATE_MEMBERS.has(name));
  return { ...(Object.fromEntries(members) as Key), alg: getAlgorithm(key), key_ops: ['verify'] };
}
