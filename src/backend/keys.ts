import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { importJWK, SignJWT, type JWK } from 'jose';
import type { CallerKeys } from '#http/caller.ts';
import { rememberVerified } from '#http/verified-tokens.ts';
import { createTokenVerifier, TokenError, type Claims, type TokenVerifier } from '#http/tokens.ts';
import type { Database } from './database/index.ts';
import { algorithmOf, publicPart, readStoredKeys, storedKeys, type StoredKeys } from './key-store.ts';

/**
 * Everything that signs or is compared: made at the first start, kept in the database, shared by every server on it.
 */
export type KeyRing = CallerKeys &
  Readonly<{
    publishableKey: string;
    secretKey: string;
    issuer: string;
    /** Signs an access token; `exp` and `iat` are the caller's. */
    sign: (claims: Claims) => Promise<string>;
    /** Public keys only, for jwks.json: as of the last look. */
    published: () => readonly JWK[];
    /**
     * Looks whether another server, or the operator, has replaced keys, where that was looked at longer ago. Not within
     * a transaction: it takes a connection of its own.
     */
    lookIfOlder: (ms: number) => Promise<void>;
    /** HMAC secret for signed storage URLs; never leaves this server. */
    urlSecret: Uint8Array;
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

/** What signs and verifies at one time. */
type Keys = Readonly<{ own: readonly JWK[]; sign: (claims: Claims) => Promise<string>; verify: TokenVerifier }>;

/** How soon a replaced key is noticed; one that is unknown here is looked for at once, though not all the time. */
export const LOOK_AFTER_MS = 60_000;
export const LOOK_AGAIN_AFTER_MS = 1_000;

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const stored = await storedKeys(options.database);
  const ring = await (options.signingKeysFile === undefined
    ? followStore(stored, options)
    : fixedRing(await readKeys(options.signingKeysFile), options));
  return {
    publishableKey: stored.publishable,
    secretKey: stored.secret,
    issuer: options.issuer,
    roleOfKey: (given) => roleOf(given, stored),
    urlSecret: Buffer.from(stored.url, 'base64url'),
    ...ring,
  };
}

type Ring = Pick<KeyRing, 'verify' | 'sign' | 'published' | 'lookIfOlder'>;

/** Follows what the database says, so that every server on it changes its key with the others. */
async function followStore(stored: StoredKeys, options: KeyRingOptions): Promise<Ring> {
  const { database, now } = options;
  let keys = await fromStore(stored, options);
  let looked = now();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    looked = now();
    const next = await readStoredKeys(database);
    if (idsOf(keys.own) !== idsOf(ownOf(next, now()))) keys = await fromStore(next, options);
  };
  const lookIfOlder = async (ms: number): Promise<void> => {
    if (looking === undefined && now() < looked + ms) return;
    // A database that is away for the moment takes no keys away.
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
    await looking;
  };
  return {
    verify: async (token) => {
      await lookIfOlder(LOOK_AFTER_MS);
      try {
        return await keys.verify(token);
      } catch (error) {
        if (!(error instanceof TokenError && error.fault === 'no-key')) throw error;
        await lookIfOlder(LOOK_AGAIN_AFTER_MS);
        return keys.verify(token);
      }
    },
    sign: (claims) => keys.sign(claims),
    published: () => keys.own,
    lookIfOlder,
  };
}

/** Keys from a file change with the file and a new start. */
async function fixedRing(given: readonly JWK[], options: KeyRingOptions): Promise<Ring> {
  const own = given.map(publicPart);
  // Tokens under keys from a file may be made elsewhere: their issuer is not ours to demand.
  const keys = await keysOf(given[0], own, { own: [], trusted: own }, options);
  return { verify: keys.verify, sign: keys.sign, published: () => own, lookIfOlder: async () => undefined };
}

function fromStore(stored: StoredKeys, options: KeyRingOptions): Promise<Keys> {
  const own = ownOf(stored, options.now());
  return keysOf(stored.signing[0], own, { own, trusted: [] }, options);
}

function ownOf({ signing, earlier }: StoredKeys, now: number): JWK[] {
  return [...signing.map(publicPart), ...earlier.filter(({ until }) => until > now).map(({ key }) => key)];
}

function idsOf(keys: readonly JWK[]): string {
  return keys.map(({ kid }) => kid).join(' ');
}

type Accepted = Readonly<{ own: readonly JWK[]; trusted: readonly JWK[] }>;

async function keysOf(
  signing: JWK | undefined,
  own: readonly JWK[],
  accepted: Accepted,
  { issuer, secret, now }: KeyRingOptions,
): Promise<Keys> {
  if (signing === undefined) throw new Error('no signing key');
  // A key file may allow both, as upstream's command line writes it; a private key signs and no more.
  const key = await importJWK({ ...signing, key_ops: ['sign'] }, algorithmOf(signing));
  const header = { alg: algorithmOf(signing), kid: signing.kid ?? '', typ: 'JWT' };
  return {
    own,
    // Every room asks about every request's token, most of them more than once.
    verify: rememberVerified(createTokenVerifier({ ...accepted, secret, issuer, audience: AUDIENCE }), now),
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key),
  };
}

function roleOf(given: string, stored: StoredKeys): string | undefined {
  if (equal(given, stored.publishable)) return 'anon';
  if (equal(given, stored.secret)) return 'service_role';
  return undefined;
}

function equal(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function readKeys(file: string): Promise<JWK[]> {
  const content = JSON.parse(await readFile(file, 'utf8')) as JWK[] | { keys: JWK[] };
  return Array.isArray(content) ? content : content.keys;
}
