import { createPrivateKey, sign as signBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { importJWK, SignJWT, type JWK } from 'jose';
import type { CallerKeys } from '#http/caller.ts';
import { cacheVerified, createTokenVerifier, TokenError, type Claims, type TokenVerifier } from '#http/tokens.ts';
import type { Database } from './database/index.ts';
import { getAlgorithm, toPublicKey, readKeys, ensureStoredKeys, type StoredKeys } from './key-store.ts';

/** All keys: created at the first start, stored in the database, shared by every server on it. */
export type KeyRing = CallerKeys &
  Readonly<{
    publishableKey: string;
    secretKey: string;
    issuer: string;
    /** Signs an access token; `exp` and `iat` are the caller's. */
    sign: (claims: Claims) => Promise<string>;
    /** Public keys for jwks.json, as of the last refresh. */
    published: () => readonly JWK[];
    /**
     * Reloads keys that another server or the operator has replaced, where the last reload is longer ago. Not within a
     * transaction, since it takes its own connection.
     */
    refreshIfOlder: (ms: number) => Promise<void>;
    /**
     * Root secret of all servers on this database: storage permits, refresh tokens, codes, TOTP secrets. Replacing it
     * ends them.
     */
    serverSecret: Uint8Array;
  }>;

type KeyRingOptions = Readonly<{
  database: Database;
  issuer: string;
  /** JWK file as the upstream command line writes it: the first key signs, all verify. */
  signingKeysFile: string | undefined;
  secret: string | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
}>;

const AUDIENCE = 'authenticated';

/** The signing key and the verifier at one time. */
type Keys = Readonly<{ own: readonly JWK[]; sign: (claims: Claims) => Promise<string>; verify: TokenVerifier }>;

/** How soon a replaced key is noticed; an unknown key reloads sooner, but not at every request. */
export const REFRESH_AFTER_MS = 60_000;
export const REFRESH_UNKNOWN_AFTER_MS = 1_000;

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const stored = await ensureStoredKeys(options.database);
  const ring = await (options.signingKeysFile === undefined
    ? followStore(stored, options)
    : createFixedRing(await readKeyFile(options.signingKeysFile), options));
  return {
    publishableKey: stored.publishable,
    secretKey: stored.secret,
    issuer: options.issuer,
    roleOfKey: (given) => getKeyRole(given, stored),
    serverSecret: Buffer.from(stored.url, 'base64url'),
    ...ring,
  };
}

type Ring = Pick<KeyRing, 'verify' | 'sign' | 'published' | 'refreshIfOlder'>;

/** Follows the keys in the database, so that all servers on it change keys together. */
async function followStore(stored: StoredKeys, options: KeyRingOptions): Promise<Ring> {
  const { database, now } = options;
  let keys = await createStoredKeys(stored, options);
  const { refreshIfOlder, refreshForUnknown } = createReloads(now, async () => {
    const next = await database.asOwner((tx) => readKeys(tx));
    if (joinIds(keys.own) !== joinIds(getOwnKeys(next, now()))) keys = await createStoredKeys(next, options);
  });
  return {
    verify: async (token) => {
      await refreshIfOlder(REFRESH_AFTER_MS);
      try {
        return await keys.verify(token);
      } catch (error) {
        if (!(error instanceof TokenError && error.code === 'no-key')) throw error;
        await refreshForUnknown();
        return keys.verify(token);
      }
    },
    sign: (claims) => keys.sign(claims),
    published: () => keys.own,
    refreshIfOlder,
  };
}

function createReloads(now: () => number, read: () => Promise<void>) {
  let startedAt = now();
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const getAge = (): number => now() - startedAt;
  const reload = (): Promise<void> => {
    if (running === undefined) startedAt = now();
    // An unreachable database removes no keys.
    running ??= read()
      .catch(() => undefined)
      .finally(() => (running = undefined));
    return running;
  };
  const reloadLater = async (): Promise<void> => {
    await running;
    const left = REFRESH_UNKNOWN_AFTER_MS - getAge();
    await wait(Math.min(REFRESH_UNKNOWN_AFTER_MS, Math.max(0, left)));
    next = undefined;
    await running;
    await reload();
  };
  return {
    refreshIfOlder: async (ms: number): Promise<void> => {
      // The age is negative where the system's clock was set back.
      if (running !== undefined || getAge() >= ms || getAge() < 0) await reload();
    },
    /** A reload that begins after the call: the last one may have read before the key was there. */
    refreshForUnknown: (): Promise<void> => (next ??= reloadLater()),
  };
}

/** Keys from a file change with the next start. */
async function createFixedRing(given: readonly JWK[], options: KeyRingOptions): Promise<Ring> {
  const own = given.map(toPublicKey);
  // Tokens of keys from a file may be issued elsewhere, so their issuer is not checked.
  const keys = await createKeys(given[0], own, { own: [], trusted: own }, options);
  return { verify: keys.verify, sign: keys.sign, published: () => own, refreshIfOlder: async () => undefined };
}

function createStoredKeys(stored: StoredKeys, options: KeyRingOptions): Promise<Keys> {
  const own = getOwnKeys(stored, options.now());
  return createKeys(stored.signing[0], own, { own, trusted: [] }, options);
}

function getOwnKeys({ signing, earlier }: StoredKeys, now: number): JWK[] {
  return [...signing.map(toPublicKey), ...earlier.filter(({ until }) => until > now).map(({ key }) => key)];
}

function joinIds(keys: readonly JWK[]): string {
  return keys.map(({ kid }) => kid).join(' ');
}

async function createKeys(
  signing: JWK | undefined,
  own: readonly JWK[],
  accepted: Readonly<{ own: readonly JWK[]; trusted: readonly JWK[] }>,
  { issuer, secret, now }: KeyRingOptions,
): Promise<Keys> {
  if (signing === undefined) throw new Error('no signing key');
  return {
    own,
    // Caches verified tokens, since most requests of all services verify the same ones.
    verify: cacheVerified(createTokenVerifier({ ...accepted, secret, issuer, audience: AUDIENCE }), now),
    sign: await createSigner(signing),
  };
}

/** The form of an ES256 signature in a token (RFC 7518, 3.4); OpenSSL's own is DER. */
const TOKEN_SIGNATURE = { dsaEncoding: 'ieee-p1363' } as const;

async function createSigner(signing: JWK): Promise<(claims: Claims) => Promise<string>> {
  const header = { alg: getAlgorithm(signing), kid: signing.kid ?? '', typ: 'JWT' };
  if (header.alg !== 'ES256') {
    // Upstream's command line allows both operations in a key file; a private key only signs.
    const key = await importJWK({ ...signing, key_ops: ['sign'] }, header.alg);
    return (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key);
  }
  // A signature on this curve takes less time here than its way to another thread and back. The key object carries
  // its option: in an object beside it, Node takes a third of the time to look for the key.
  const key = Object.assign(createPrivateKey({ key: { ...signing }, format: 'jwk' }), TOKEN_SIGNATURE);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return async (claims) => {
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${signBytes('sha256', Buffer.from(text), key).toString('base64url')}`;
  };
}

function getKeyRole(given: string, stored: StoredKeys): string | undefined {
  if (equal(given, stored.publishable)) return 'anon';
  if (equal(given, stored.secret)) return 'service_role';
  return undefined;
}

/** In constant time for texts of one length; the length of a key is no secret. */
function equal(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

async function readKeyFile(file: string): Promise<JWK[]> {
  const content = JSON.parse(await readFile(file, 'utf8')) as JWK[] | { keys: JWK[] };
  return Array.isArray(content) ? content : content.keys;
}
