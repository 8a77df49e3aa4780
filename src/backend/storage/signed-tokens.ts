import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { StorageError } from './errors.ts';

/** What a signed address allows. Neither kind of token is taken for the other. */
const DownloadClaims = z.object({
  url: z.string(),
  scope: z.literal('download'),
  exp: z.number(),
  signer: z.string().optional(),
});
const UploadClaims = z.object({
  url: z.string(),
  scope: z.literal('upload'),
  exp: z.number(),
  upsert: z.boolean(),
  owner: z.string().optional(),
  signer: z.string().optional(),
});

/** `signer` is sealed (signer.ts): whose rights the address stands for at each use. */
type Signed = Readonly<{ url: string; signer?: string | undefined }>;
export type DownloadPermit = Signed & Readonly<{ scope: 'download' }>;
export type UploadPermit = Signed & Readonly<{ scope: 'upload'; upsert: boolean; owner?: string | undefined }>;

const ALGORITHM = 'HS256';

export function signPermit(
  permit: DownloadPermit | UploadPermit,
  secret: Uint8Array,
  seconds: number,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ ...permit })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(secret);
}

/** Throws InvalidJWT, and InvalidSignature for a token made for something else. */
export async function readDownloadPermit(
  token: string,
  url: string,
  secret: Uint8Array,
): Promise<{ expires: Date; signer: string | undefined }> {
  const { exp, signer } = permitted(DownloadClaims, await verified(token, secret), url);
  return { expires: new Date(exp * 1000), signer };
}

/** Throws InvalidJWT, and InvalidSignature for a token made for something else. */
export async function readUploadPermit(token: string, url: string, secret: Uint8Array): Promise<UploadPermit> {
  return permitted(UploadClaims, await verified(token, secret), url);
}

async function verified(token: string, secret: Uint8Array): Promise<unknown> {
  try {
    return (await jwtVerify(token, secret, { algorithms: [ALGORITHM] })).payload;
  } catch (cause) {
    const message = cause instanceof errors.JOSEError ? cause.message : undefined;
    throw new StorageError('InvalidJWT', message, { cause });
  }
}

function permitted<Claims extends { url: string }>(schema: z.ZodType<Claims>, payload: unknown, url: string): Claims {
  const claims = schema.safeParse(payload);
  if (!claims.success || claims.data.url !== url) throw new StorageError('InvalidSignature');
  return claims.data;
}
