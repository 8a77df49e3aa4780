import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Database } from '#backend/index.ts';
import { callerOf, type Caller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { SpeechError } from './errors.ts';

/** Whether somebody without a login holds the key of a contribution (D9). */
export type MayTranscribe = (headers: IncomingHttpHeaders) => Promise<boolean>;

/** Whether a login has the rights of one of the roles of §6: without a role or with a missing second factor it has none. */
export type HasRole = (caller: Caller, userId: string) => Promise<boolean>;

const KEY_HEADER = 'x-interview-key';

/** The database decides, by the same row-level security as for the contribution itself. */
export function boundKeyCheck(database: Database): MayTranscribe {
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

/** The database decides: a login reads its own role and no other, and may lack the second factor that its rights need. */
export function roleCheck(database: Database): HasRole {
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

/** Under which names a call is counted (`allowance.ts`). Throws SpeechError where the caller may not transcribe. */
export async function transcribingCaller(
  request: FastifyRequest,
  { keys, mayTranscribe, hasRole }: CallerChecks,
): Promise<readonly string[]> {
  const { headers } = request;
  const caller = await callerOf(headers, keys).catch(refuseToken);
  if (caller.role === 'service_role') return ['service'];
  const user = caller.claims['sub'];
  const isLogin = caller.role === 'authenticated' && typeof user === 'string';
  if (isLogin && (await hasRole(caller, user))) return [`user:${user}`];
  if (!(await mayTranscribe(headers))) throw new SpeechError('not_authenticated');
  const key = createHash('sha256').update(String(headers[KEY_HEADER])).digest('base64url');
  return [`key:${key}`, `address:${request.ip}`];
}

function refuseToken(error: unknown): never {
  if (error instanceof TokenError) throw new SpeechError('invalid_token', { cause: error });
  throw error;
}
