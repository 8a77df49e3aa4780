import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { z } from 'zod';
import type { Caller } from '#http/caller.ts';
import type { CallerContext } from '../database/index.ts';
import { contextOf, type Operation } from './caller.ts';
import type { StorageDeps } from './deps.ts';
import { StorageError } from './errors.ts';

/**
 * Rights that come from a header, a key for instance, end when the database says so. An address signed with one carries
 * role, claims and header, encrypted, and row-level security is asked again at each use. Addresses of other callers
 * stand for themselves until they end, as with the original.
 */
const Signer = z.object({
  role: z.string(),
  claims: z.record(z.string(), z.unknown()),
  headers: z.record(z.string(), z.string()),
});

type Deps = Pick<StorageDeps, 'keys' | 'rules'>;

/** Undefined where the caller sent none of the headers that give rights. */
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
    .encrypt(sealingKey(keys.urlSecret));
}

/** In whose name the address is used. Throws InvalidSignature. */
export async function signerContext(
  { keys }: Deps,
  request: FastifyRequest,
  sealed: string,
  operation: Operation,
): Promise<CallerContext> {
  try {
    const { plaintext } = await compactDecrypt(sealed, sealingKey(keys.urlSecret));
    const { role, claims, headers } = Signer.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    return { ...contextOf(request, { role, claims, token: undefined }, operation), headers };
  } catch (cause) {
    throw new StorageError('InvalidSignature', undefined, { cause });
  }
}

/** The secret itself signs; a key of its own encrypts. */
function sealingKey(secret: Uint8Array): Uint8Array {
  return createHash('sha256').update('storage signer').update(secret).digest();
}
