import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../database/index.ts';
import { isBanned } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { parseDuration } from '../durations.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { hasSecondFactor } from '../factors/rules.ts';
import { audit } from '../repository/audit.ts';
import { rotateToken } from '../repository/rotate-token.ts';
import {
  lockSessionOfToken,
  revokeFamily,
  findSessions,
  touchSession,
  type Device,
  type SessionRow,
} from '../repository/sessions.ts';
import {
  findTokenFamily,
  type ActiveToken,
  type PresentedToken,
  type TokenFamily,
} from '../repository/token-family.ts';
import type { UserRow } from '../repository/users.ts';
import { createSessionJson, type SessionJson } from './issue.ts';
import { getFloors, getLastUse, judgeSession, type SessionLimits, type SessionState } from './session-limits.ts';
import { REFRESH_TOKEN, hashToken } from './token-chain.ts';

const LOCK_NOT_AVAILABLE = '55P03';
/** Longest path from a reused token to the active one; a reuse interval holds no more refreshes. */
const MAX_CHAIN_LENGTH = 1_000;

/**
 * Exchanges a refresh token (supabase-contract §1.5). A second run after a lost answer finds the token's child and
 * returns the same one. Throws AuthError.
 */
export async function refreshSession(context: AuthContext, token: string, device: Device): Promise<SessionJson> {
  if (!REFRESH_TOKEN.test(token)) throw invalid('Refresh token is not valid');
  const request: Request = { token, hash: hashToken(token), device };
  // Return a refusal instead of throwing it, so that the revocation is committed.
  const run = async (): Promise<SessionJson | AuthError> =>
    (await rotateInOneRoundTrip(context, request)) ??
    (await context.database.asOwner((tx) => refreshUnderLock(context, tx, request), { retryable: true }));
  const result = await run().catch(toConflict);
  if (result instanceof AuthError) throw result;
  return result;
}

type Request = Readonly<{ token: string; hash: string; device: Device }>;
type Family = TokenFamily & Readonly<{ session: SessionRow }>;

/**
 * Exchanges a token in order (decision 0347). Undefined: not in order, already used, or `single_per_user`;
 * `refreshUnderLock` decides.
 */
async function rotateInOneRoundTrip(
  context: AuthContext,
  request: Request,
): Promise<SessionJson | AuthError | undefined> {
  if (context.auth.sessions.single_per_user) return undefined;
  const { hash, device } = request;
  const now = context.now();
  const limits = readLimits(context);
  const next = context.chain.deriveChild(request.token);
  const change = { parent: hash, child: hashToken(next), device, at: new Date(now) };
  const [session, found] = await context.database.asOwner(
    (tx) => Promise.all([lockSessionOfToken(tx, hash), rotateToken(tx, change, getFloors(limits, now))]),
    { retryable: true },
  );
  if (session === undefined || found === undefined) return ERRORS.refreshNotFound();
  const refusal = findRefusal(context, found.user, session, now);
  if (refusal !== undefined) return refusal;
  return found.rotated ? createSessionJson(context, { ...found, session }, next) : undefined;
}

/** Statements of one group leave together: a refresh waits for the database as rarely as it can. */
async function refreshUnderLock(context: AuthContext, tx: Tx, request: Request): Promise<SessionJson | AuthError> {
  const { token, hash, device } = request;
  const family = await lockFamily(context, tx, hash);
  if (family instanceof AuthError) return family;
  const { session, presented, active } = family;
  const now = context.now();
  const reuseIntervalMs = context.auth.refresh_token_reuse_interval * 1_000;
  const verdict = judgeToken({ presented, active, now, reuseIntervalMs });
  if (verdict === 'stolen') return revokeStolenFamily(context, tx, family, device);
  const next = verdict === 'rotate' ? context.chain.deriveChild(token) : deriveActiveToken(context, token, active);
  // The active token does not derive from this one: the session was upgraded in between (upgradeSession).
  if (next === undefined) return ERRORS.refreshUsed();
  const at = new Date(now);
  if (verdict === 'same') await touchSession(tx, session.id, device, at);
  else if ((await rotateToken(tx, { parent: hash, child: hashToken(next), device, at })) === undefined)
    return ERRORS.refreshNotFound();
  return createSessionJson(context, family, next);
}

type ReuseFacts = Readonly<{
  presented: PresentedToken;
  /** The session's only token that is not revoked, if any. */
  active: ActiveToken | undefined;
  now: number;
  reuseIntervalMs: number;
}>;

/**
 * Decides about a presented refresh token (supabase-contract §1.5): a child, the active token again because the answer
 * may have been lost or several tabs refresh at once, or a refusal because it must be stolen.
 */
export function judgeToken(facts: ReuseFacts): 'rotate' | 'same' | 'stolen' {
  const { presented, active } = facts;
  if (!presented.revoked) return 'rotate';
  if (active === undefined) return 'stolen';
  if (active.parent === presented.token) return 'same';
  const usableUntil = presented.updated_at.getTime() + facts.reuseIntervalMs;
  return facts.now <= usableUntil ? 'same' : 'stolen';
}

/** Locks the token's session, so that concurrent refreshes wait, and reads everything else behind the lock. */
async function lockFamily(context: AuthContext, tx: Tx, hash: string): Promise<Family | AuthError> {
  const [session, family] = await Promise.all([lockSessionOfToken(tx, hash), findTokenFamily(tx, hash)]);
  if (session === undefined || family === undefined) return ERRORS.refreshNotFound();
  const refusal =
    findRefusal(context, family.user, session, context.now()) ??
    (await findReplacement(context, tx, family.user, session));
  return refusal ?? { ...family, session };
}

const REFUSALS: Readonly<Record<Exclude<SessionState, 'valid'>, () => AuthError>> = {
  expired: ERRORS.sessionExpired,
  inactive: ERRORS.sessionInactive,
  'low-aal': ERRORS.sessionLacksAal2,
};

function findRefusal(context: AuthContext, user: UserRow, session: SessionRow, now: number): AuthError | undefined {
  if (isBanned(user, now)) return ERRORS.bannedLogin();
  const state = judgeSession(session, readLimits(context), { now, secondFactor: hasSecondFactor(user) });
  return state === 'valid' ? undefined : REFUSALS[state]();
}

/** Of a session that another one replaced, where `single_per_user` allows one. */
async function findReplacement(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  session: SessionRow,
): Promise<AuthError | undefined> {
  if (!context.auth.sessions.single_per_user) return undefined;
  const facts = { now: context.now(), secondFactor: hasSecondFactor(user) };
  const isValid = (other: SessionRow): boolean => judgeSession(other, readLimits(context), facts) === 'valid';
  const others = (await findSessions(tx, user.id)).filter(isValid);
  return others.some((other) => getLastUse(other) > getLastUse(session)) ? ERRORS.sessionReplaced() : undefined;
}

/** `[auth.sessions]` */
function readLimits(context: AuthContext): SessionLimits {
  const { timebox, inactivity_timeout, allow_low_aal } = context.auth.sessions;
  return {
    timeboxMs: parseDuration(timebox),
    inactivityMs: parseDuration(inactivity_timeout),
    lowAalMs: parseDuration(allow_low_aal),
  };
}

async function revokeStolenFamily(context: AuthContext, tx: Tx, family: Family, device: Device): Promise<AuthError> {
  if (context.auth.enable_refresh_token_rotation) {
    const at = new Date(context.now());
    await revokeFamily(tx, family.session.id, at);
    await audit(tx, { action: 'token_revoked', actorId: family.user.id, address: device.address, at });
  }
  return ERRORS.refreshUsed();
}

/** Derives the active token from an older one by following its children. */
function deriveActiveToken(context: AuthContext, token: string, active: ActiveToken | undefined): string | undefined {
  let next = token;
  for (let step = 0; step < MAX_CHAIN_LENGTH; step += 1) {
    next = context.chain.deriveChild(next);
    if (hashToken(next) === active?.token) return next;
  }
  return undefined;
}

function toConflict(error: unknown): AuthError {
  if (getErrorCode(error) === LOCK_NOT_AVAILABLE) return ERRORS.conflict();
  throw error;
}
