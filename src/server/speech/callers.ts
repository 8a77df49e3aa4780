import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Database } from '#backend/index.ts';
import { identifyCaller, type Caller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { SpeechError } from './errors.ts';

/** Checks whether a caller without a login holds the key of a contribution (D9). */
export type MayTranscribe = (headers: IncomingHttpHeaders) => Promise<boolean>;

/** Checks whether a login has a role of §6. A login whose second factor is missing has none. */
export type HasRole = (caller: Caller, userId: string) => Promise<boolean>;

const KEY_HEADER = 'x-interview-key';

/** Asks the database: row-level security decides, as for the contribution itself. */
export function createInterviewKeyCheck(database: Database): MayTranscribe {
  return async (headers) => {
    const key = headers[KEY_HEADER];
    if (typeof key !== 'string' || key === '') return false;
    const context = {
      role: 'anon',
      claims: { role: 'anon' },
      method: 'GET',
      path: '/interviews',
      headers: { [KEY_HEADER]: key },
      readOnly: true,
    };
    const found = await database.asCaller(context, (tx) => tx.query('select id from public.interviews limit 1'));
    return found.rows.length > 0;
  };
}

/** Asks the database: a login reads its own role only, and none while the second factor its rights need is missing. */
export function createRoleCheck(database: Database): HasRole {
  return async ({ role, claims }, userId) => {
    const context = { role, claims, method: 'GET', path: '/user_roles', headers: {}, readOnly: true };
    const found = await database.asCaller(context, (tx) =>
      tx.query('select role from public.user_roles where user_id = $1 and not public.second_factor_missing()', [
        userId,
      ]),
    );
    return found.rows.length > 0;
  };
}

export type CallerChecks = Readonly<{ keys: CallerKeys; mayTranscribe: MayTranscribe; hasRole: HasRole }>;

/** Returns the names under which `quota.ts` counts the caller. Throws SpeechError where it may not transcribe. */
export async function authorizeTranscription(
  request: FastifyRequest,
  { keys, mayTranscribe, hasRole }: CallerChecks,
): Promise<readonly string[]> {
  const { headers } = request;
  const caller = await identifyCaller(headers, keys).catch(rejectToken);
  if (caller.role === 'service_role') return ['service'];
  const user = caller.claims['sub'];
  const isLogin = caller.role === 'authenticated' && typeof user === 'string';
  if (isLogin && (await hasRole(caller, user))) return [`user:${user}`];
  if (!(await mayTranscribe(headers))) throw new SpeechError('not_authenticated');
  const key = createHash('sha256').update(String(headers[KEY_HEADER])).digest('base64url');
  return [`key:${key}`, `address:${request.ip}`];
}

function rejectToken(error: unknown): never {
  if (error instanceof TokenError) throw new SpeechError('invalid_token', { cause: error });
  throw error;
}
