import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import type { CallerKeys } from '#http/caller.ts';
import { rememberVerified } from '#http/verified-tokens.ts';
import { createTokenVerifier, type Claims } from '#http/tokens.ts';
import type { Database } from './database/index.ts';

/** Everything that signs or is compared: made at the first start, kept in the database, shared by every server on it. */
export type KeyRing = CallerKeys &
  Readonly<{
    publishableKey: string;
    secretKey: string;
    issuer: string;
    /** Signs an access token; `exp` and `iat` are the caller's. */
    sign: (claims: Claims) => Promise<string>;
    /** Public keys only, for jwks.json. */
    published: () => readonly JWK[];
    /** HMAC secret for signed storage URLs; never leaves this server. */
    urlSecret: Uint8Array;
  }>;

export type KeyRingOptions = Readonly<{
  database: Database;
  issuer: string;
  /** JWK file as the upstream command line writes it: the first key signs, all verify. */
  signingKeysFile: string | undefined;
  secret: string | undefined;
}>;

export const AUDIENCE = 'authenticated';

type Secrets = Readonly<{ signing: JWK[]; publishable: string; secret: string; url: string }>;

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const stored = await storedSecrets(options.database);
  const fromFile = options.signingKeysFile === undefined ? [] : await readKeys(options.signingKeysFile);
  const signing = fromFile[0] ?? stored.signing[0];
  if (signing === undefined) throw new Error('no signing key');
  const own = (fromFile.length > 0 ? fromFile : stored.signing).map(publicPart);
  // Tokens under keys from a file may be made elsewhere: their issuer is not ours to demand.
  const published = { own: fromFile.length > 0 ? [] : own, trusted: fromFile.length > 0 ? own : [] };
  const verify = createTokenVerifier({
    ...published,
    secret: options.secret,
    issuer: options.issuer,
    audience: AUDIENCE,
  });
  const key = await importJWK(signing, algorithm(signing));
  return {
    publishableKey: stored.publishable,
    secretKey: stored.secret,
    issuer: options.issuer,
    roleOfKey: (given) => roleOf(given, stored),
    // Every room asks about every request's token, most of them more than once.
    verify: rememberVerified(verify),
    sign: (claims) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm(signing), kid: signing.kid ?? '', typ: 'JWT' })
        .sign(key),
    published: () => own,
    urlSecret: Buffer.from(stored.url, 'base64url'),
  };
}

function roleOf(given: string, stored: Secrets): string | undefined {
  if (equal(given, stored.publishable)) return 'anon';
  if (equal(given, stored.secret)) return 'service_role';
  return undefined;
}

function equal(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function storedSecrets(database: Database): Promise<Secrets> {
  const fresh: Secrets = {
    signing: [await newSigningKey()],
    publishable: `sb_publishable_${randomBytes(24).toString('base64url')}`,
    secret: `sb_secret_${randomBytes(32).toString('base64url')}`,
    url: randomBytes(32).toString('base64url'),
  };
  return database.asOwner(async (tx) => {
    // Two servers may start at once: whoever comes second takes what the first one wrote.
    await tx.query(`insert into _backend.secrets (name, value) values ('keys', $1) on conflict (name) do nothing`, [
      JSON.stringify(fresh),
    ]);
    const result = await tx.query<{ value: Secrets }>(`select value from _backend.secrets where name = 'keys'`);
    return result.rows[0]?.value ?? fresh;
  });
}

async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: randomBytes(12).toString('base64url'), alg: 'ES256', use: 'sig', key_ops: ['sign'] };
}

async function readKeys(file: string): Promise<JWK[]> {
  const content = JSON.parse(await readFile(file, 'utf8')) as JWK[] | { keys: JWK[] };
  if (Array.isArray(content)) return content;
  return content.keys;
}

function algorithm(key: JWK): string {
  return key.alg ?? (key.kty === 'RSA' ? 'RS256' : 'ES256');
}

const PRIVATE_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

function publicPart(key: JWK): JWK {
  const members = Object.entries(key).filter(([name]) => !PRIVATE_MEMBERS.has(name));
  return { ...Object.fromEntries(members), alg: algorithm(key), key_ops: ['verify'] };
}
