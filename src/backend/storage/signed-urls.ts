import { createHash, createHmac } from 'node:crypto';
import { compactDecrypt, CompactEncrypt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#http/caller.ts';
import { StorageError } from './errors.ts';
import type { CallerContext } from '../database/index.ts';
import { buildContext, type Operation } from './caller.ts';
import type { StorageDeps } from './deps.ts';

/** The two scopes keep a token of one kind from being accepted as the other. */
const Claims = z.object({ url: z.string(), exp: z.number(), signer: z.string().optional() });
const DownloadClaims = Claims.extend({ scope: z.literal('download') });
const UploadClaims = Claims.extend({ scope: z.literal('upload'), upsert: z.boolean(), owner: z.string().optional() });

/** `signer` is encrypted (`sealSigner`); its rights are checked at each use. */
type Signed = Readonly<{ url: string; signer?: string | undefined }>;
type DownloadPermit = Signed & Readonly<{ scope: 'download' }>;
type UploadPermit = Signed & Readonly<{ scope: 'upload'; upsert: boolean; owner?: string | undefined }>;

const ALGORITHM = 'HS256';

const HEADER = encodePart({ alg: ALGORITHM, typ: 'JWT' });

/** A signature takes less time here than its way to another thread and back, and one request may ask for a thousand. */
export function signPermit(permit: DownloadPermit | UploadPermit, secret: Uint8Array, seconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  const text = `${HEADER}.${encodePart({ ...permit, iat: now, exp: now + seconds })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Throws InvalidJWT, and InvalidSignature for a token of another URL or kind. */
export async function readDownloadPermit(
  token: string,
  url: string,
  secret: Uint8Array,
): Promise<{ expires: Date; signer: string | undefined }> {
  const { exp, signer } = validateClaims(DownloadClaims, await verifyToken(token, secret), url);
  return { expires: new Date(exp * 1000), signer };
}

/** Throws InvalidJWT, and InvalidSignature for a token of another URL or kind. */
export async function readUploadPermit(token: string, url: string, secret: Uint8Array): Promise<UploadPermit> {
  return validateClaims(UploadClaims, await verifyToken(token, secret), url);
}

async function verifyToken(token: string, secret: Uint8Array): Promise<unknown> {
  try {
    return (await jwtVerify(token, secret, { algorithms: [ALGORITHM] })).payload;
  } catch (cause) {
    const message = cause instanceof errors.JOSEError ? cause.message : undefined;
    throw new StorageError('InvalidJWT', message, { cause });
  }
}

function validateClaims<Claims extends { url: string }>(
  schema: z.ZodType<Claims>,
  payload: unknown,
  url: string,
): Claims {
  const claims = schema.safeParse(payload);
  if (!claims.success || claims.data.url !== url) throw new StorageError('InvalidSignature');
  return claims.data;
}

/**
 * A right that comes from a header, such as a key, ends when the database revokes it. A URL signed with such a header
 * carries role, claims and header, encrypted, and row-level security decides again at each use. Any other signed URL is
 * valid until it expires, as upstream.
 */
const Signer = z.object({
  role: z.string(),
  claims: z.record(z.string(), z.unknown()),
  headers: z.record(z.string(), z.string()),
});

type Deps = Pick<StorageDeps, 'keys' | 'rules'>;

/** Undefined where the caller sent none of the policy headers. */
export async function sealSigner(
  { keys, rules }: Deps,
  request: FastifyRequest,
  { role, claims }: Caller,
): Promise<string | undefined> {
  const headers = Object.fromEntries(
    rules.policyHeaders.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
  if (Object.keys(headers).length === 0) return undefined;
  const text = new TextEncoder().encode(JSON.stringify({ role, claims, headers }));
  return new CompactEncrypt(text)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(deriveSealingKey(keys.serverSecret));
}

/** Restores the signer's rights for one use of the URL. Throws InvalidSignature. */
export async function openSigner(
  { keys }: Deps,
  request: FastifyRequest,
  sealed: string,
  operation: Operation,
): Promise<CallerContext> {
  try {
    const { plaintext } = await compactDecrypt(sealed, deriveSealingKey(keys.serverSecret));
    const { role, claims, headers } = Signer.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    return { ...buildContext(request, { role, claims, token: undefined }, operation), headers };
  } catch (cause) {
    throw new StorageError('InvalidSignature', undefined, { cause });
  }
}

/** The secret itself signs, so encryption derives a key of its own. */
function deriveSealingKey(secret: Uint8Array): Uint8Array {
  return createHash('sha256').update('storage signer').update(secret).digest();
}
