import type { FastifyRequest } from 'fastify';
import { type Caller, type CallerKeys, identifyCaller } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import type { CallerContext } from '../database/index.ts';
import { StorageError } from './errors.ts';

/** Upstream's names; policies read them by `storage.operation()`. */
export type Operation =
  | `storage.bucket.${'create' | 'delete' | 'empty' | 'list' | 'get' | 'update'}`
  | `storage.object.${'copy' | 'upload' | 'upload_update' | 'upload_signed' | 'delete' | 'delete_many' | 'move'}`
  | `storage.object.${'get_authenticated' | 'info_authenticated' | 'sign' | 'sign_many' | 'sign_upload_url'}`
  | `storage.object.${'list' | 'list_v2'}`;

/** Throws InvalidRequest without any credential, TokenError for one that is not accepted. */
export async function requireCaller(request: FastifyRequest, keys: CallerKeys): Promise<Caller> {
  if (!hasCredential(request)) {
    throw new StorageError('InvalidRequest', "headers must have required property 'authorization'");
  }
  return identifyCaller(request.headers, keys);
}

/** For downloads: ignores credentials that are not accepted, since a public bucket needs none. */
export async function findCaller(request: FastifyRequest, keys: CallerKeys): Promise<Caller | undefined> {
  if (!hasCredential(request)) return undefined;
  try {
    return await identifyCaller(request.headers, keys);
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

function hasCredential({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined || headers['apikey'] !== undefined;
}

/** The transaction's role and everything that policies may read: claims, headers and the operation. */
export function buildContext(request: FastifyRequest, caller: Caller, operation: Operation): CallerContext {
  return {
    role: caller.role,
    claims: caller.claims,
    method: request.method,
    path: request.url.split('?', 1)[0] ?? '',
    headers: request.headers,
    searchPath: ['storage', 'public', 'extensions'],
    settings: { 'storage.operation': operation, 'storage.caller_network': getNetwork(request, caller) ?? '' },
  };
}

/** The network whose uploads count against a quota; undefined for the service, which has none. */
export function getNetwork(request: FastifyRequest, { role }: Pick<Caller, 'role'>): string | undefined {
  return role === 'service_role' ? undefined : toNetwork(getClientAddress(request));
}

/** `sub` of the token owns the new bucket or object. */
export function getOwner(caller: Caller): string | undefined {
  const subject = caller.claims['sub'];
  return typeof subject === 'string' && subject !== '' ? subject : undefined;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Columns `owner` (old, uuid only) and `owner_id` for the subject of a token. */
export function toOwnerColumns(subject: string | undefined): { uuid: string | null; text: string | null } {
  const text = subject ?? null;
  return { uuid: text !== null && UUID.test(text) ? text : null, text };
}
