import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { CallerContext, Database } from '#backend/index.ts';
import { REVIEW_KEY_HEADER, REVIEW_SPOKEN_MAX_BYTES } from '#contract/review.ts';
import { identifyCaller, type Caller, type CallerKeys } from '#http/caller.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { TokenError } from '#http/tokens.ts';
import { digestSecret } from '#lib/sealed.ts';
import { SpeechError, type SpeechErrorCode } from './errors.ts';

/** Checks whether a caller without a login holds a key: of a contribution (D9), or of a review. */
type HoldsKey = (headers: IncomingHttpHeaders) => Promise<boolean>;

/** Checks whether a login has a role of §6. A login whose second factor is missing has none. */
export type HasRole = (caller: Caller, userId: string) => Promise<boolean>;

const KEY_HEADER = 'x-interview-key';

type Question = Pick<CallerContext, 'path' | 'headers'> & Partial<CallerContext> & Readonly<{ sql: string }>;

/** Returns whether a query finds rows that its caller may read. The caller is anonymous by default. */
async function hasRows(database: Database, { sql, ...caller }: Question, values: readonly unknown[] = []) {
  const context = { role: 'anon', claims: { role: 'anon' }, method: 'GET', readOnly: true, ...caller };
  const { rows } = await database.asCaller(context, (tx) => tx.query(sql, values));
  return rows.length > 0;
}

const checkKey =
  (database: Database, header: string, question: Readonly<{ path: string; sql: string }>): HoldsKey =>
  async (headers) => {
    const key = headers[header];
    if (typeof key !== 'string' || key === '') return false;
    return hasRows(database, { ...question, headers: { [header]: key } });
  };

/** Asks the database: row-level security decides, as for the contribution itself. */
export const createInterviewKeyCheck = (database: Database): HoldsKey =>
  checkKey(database, KEY_HEADER, { path: '/interviews', sql: 'select id from public.interviews limit 1' });

/** Asks the database: unknown, expired and revoked review keys look alike. */
export const createReviewKeyCheck = (database: Database): HoldsKey =>
  checkKey(database, REVIEW_KEY_HEADER, {
    path: '/rpc/review_key_counts',
    sql: 'select 1 where public.review_key_counts()',
  });

/** Asks the database: a login reads its own role only, and none while the second factor its rights need is missing. */
export const createRoleCheck =
  (database: Database): HasRole =>
  ({ role, claims }, userId) => {
    const sql = 'select role from public.user_roles where user_id = $1 and not public.second_factor_missing()';
    return hasRows(database, { role, claims, path: '/user_roles', headers: {}, sql }, [userId]);
  };

export type CallerChecks = Readonly<{
  keys: CallerKeys;
  holdsContribution: HoldsKey;
  holdsReview: HoldsKey;
  hasRole: HasRole;
}>;

/** Who may transcribe, and how much at a time. */
export type TranscriptionCaller = Readonly<{
  /** Under these the quota counts. */
  names: readonly string[];
  /** undefined: as much as any recording. */
  maxBytes: number | undefined;
}>;

/** Throws SpeechError where the caller may not transcribe, the same one for each key that opens nothing. */
export async function authorizeTranscription(
  request: FastifyRequest,
  { keys, holdsContribution, holdsReview, hasRole }: CallerChecks,
): Promise<TranscriptionCaller> {
  const { headers } = request;
  const caller = await identifyCaller(headers, keys).catch(rejectToken);
  if (caller.role === 'service_role') return { names: ['service'], maxBytes: undefined };
  const user = caller.claims['sub'];
  const isLogin = caller.role === 'authenticated' && typeof user === 'string';
  if (isLogin && (await hasRole(caller, user))) return { names: [`user:${user}`], maxBytes: undefined };
  const digest = (key: unknown): string => digestSecret(String(key)).toString('base64url');
  const address = `address:${toNetwork(getClientAddress(request))}`;
  if (await holdsContribution(headers)) {
    return { names: [`key:${digest(headers[KEY_HEADER])}`, address], maxBytes: undefined };
  }
  if (await holdsReview(headers)) {
    return { names: [`review:${digest(headers[REVIEW_KEY_HEADER])}`, address], maxBytes: REVIEW_SPOKEN_MAX_BYTES };
  }
  throw new SpeechError('not_authenticated');
}

function rejectToken(error: unknown): never {
  if (error instanceof TokenError) throw new SpeechError('invalid_token', { cause: error });
  throw error;
}

export type TranscriptionLimits = Readonly<{
  callsPerMinute: number;
  bytesPerMinute: number;
  /** A share for each caller: one caller cannot use up the day of all. */
  callerBytesPerDay: number;
  bytesPerDay: number;
}>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type Count = { calls: number; bytes: number };

/** Caps what the service may cost (threat 7). Counts in this process, in fixed windows; a day is one of UTC. */
export function createTranscriptionQuota(limits: TranscriptionLimits, now: () => number = Date.now) {
  const minute = createCountWindow(MINUTE_MS, now);
  const day = createCountWindow(DAY_MS, now);
  return {
    /**
     * Reserves before a byte is sent, so that simultaneous calls cannot exceed a limit together. `paid`: the server's
     * key pays; a caller's own key (D12) is not counted against the day. Throws SpeechError with Retry-After.
     */
    reserve: (callers: readonly string[], bytes: number, paid: boolean) => {
      const shares = new Map([['everybody', limits.bytesPerDay]]);
      // Guests are counted by key and network, and one person can use many: a quarter is left to logins.
      if (callers.length > 1) shares.set('guests', 0.75 * limits.bytesPerDay);
      for (const caller of callers) {
        const { calls, bytes: used } = minute.get(caller);
        if (calls >= limits.callsPerMinute || used + bytes > limits.bytesPerMinute) refuse('rate_limited', minute);
        shares.set(caller, limits.callerBytesPerDay);
      }
      const daily = paid ? [...shares].map(([key, most]) => ({ most, count: day.get(key) })) : [];
      if (daily.some(({ most, count }) => count.bytes + bytes > most)) refuse('daily_limit_reached', day);
      const counts = [...callers.map((key) => minute.get(key)), ...daily.map(({ count }) => count)];
      for (const count of counts) {
        count.calls += 1;
        count.bytes += bytes;
      }
      // Replaces the reserved bytes by those sent to the service, if they are fewer.
      return { commit: (sent: number): void => counts.forEach((count) => (count.bytes -= Math.max(0, bytes - sent))) };
    },
  };
}

export type TranscriptionQuota = ReturnType<typeof createTranscriptionQuota>;

function refuse(code: SpeechErrorCode, window: ReturnType<typeof createCountWindow>): never {
  throw new SpeechError(code, { retryAfterS: window.retryAfterS() });
}

function createCountWindow(lengthMs: number, now: () => number) {
  let current = Number.NaN;
  let counts = new Map<string, Count>();
  return {
    get: (key: string): Count => {
      const window = Math.floor(now() / lengthMs);
      if (window !== current) [current, counts] = [window, new Map()];
      const count = counts.get(key) ?? { calls: 0, bytes: 0 };
      counts.set(key, count);
      return count;
    },
    retryAfterS: (): number => Math.max(1, Math.ceil((lengthMs - (now() % lengthMs)) / 1_000)),
  };
}
