import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Database } from '#backend/index.ts';
import { REVIEW_KEY_HEADER, REVIEW_SPOKEN_MAX_BYTES } from '#contract/review.ts';
import { identifyCaller, type Caller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { SpeechError } from './errors.ts';

/** Checks whether a caller without a login holds a key: of a contribution (D9), or of a review. */
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

/** Asks the database: unknown, expired and revoked review keys look alike. */
export function createReviewKeyCheck(database: Database): MayTranscribe {
  return async (headers) => {
    const key = headers[REVIEW_KEY_HEADER];
    if (typeof key !== 'string' || key === '') return false;
    const context = {
      role: 'anon',
      claims: { role: 'anon' },
      method: 'GET',
      path: '/rpc/review_key_counts',
      headers: { [REVIEW_KEY_HEADER]: key },
      readOnly: true,
    };
    const { rows } = await database.asCaller(context, (tx) => tx.query('select public.review_key_counts() as counts'));
    return rows[0]?.['counts'] === true;
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

export type CallerChecks = Readonly<{
  keys: CallerKeys;
  mayTranscribe: MayTranscribe;
  mayAnswerReview: MayTranscribe;
  hasRole: HasRole;
}>;

/** Who may transcribe, and how much at a time. */
export type TranscriptionCaller = Readonly<{
  /** Under these `quota.ts` counts. */
  names: readonly string[];
  /** undefined: as much as any recording. */
  maxBytes: number | undefined;
}>;

/** Throws SpeechError where the caller may not transcribe, the same one for each key that opens nothing. */
export async function authorizeTranscription(
  request: FastifyRequest,
  { keys, mayTranscribe, mayAnswerReview, hasRole }: CallerChecks,
): Promise<TranscriptionCaller> {
  const { headers } = request;
  const caller = await identifyCaller(headers, keys).catch(rejectToken);
  if (caller.role === 'service_role') return { names: ['service'], maxBytes: undefined };
  const user = caller.claims['sub'];
  const isLogin = caller.role === 'authenticated' && typeof user === 'string';
  if (isLogin && (await hasRole(caller, user))) return { names: [`user:${user}`], maxBytes: undefined };
  const address = `address:${request.ip}`;
  if (await mayTranscribe(headers)) {
    return { names: [`key:${digestHeader(headers[KEY_HEADER])}`, address], maxBytes: undefined };
  }
  if (await mayAnswerReview(headers)) {
    return {
      names: [`review:${digestHeader(headers[REVIEW_KEY_HEADER])}`, address],
      maxBytes: REVIEW_SPOKEN_MAX_BYTES,
    };
  }
  throw new SpeechError('not_authenticated');
}

function digestHeader(value: string | readonly string[] | undefined): string {
  return createHash('sha256').update(String(value)).digest('base64url');
}

function rejectToken(error: unknown): never {
  if (error instanceof TokenError) throw new SpeechError('invalid_token', { cause: error });
  throw error;
}
