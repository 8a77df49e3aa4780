import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../database/index.ts';
import { isBanned } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { parseDuration } from '../durations.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { hasSecondFactor } from '../factors/rules.ts';
import { audit } from '../repository/audit.ts';
import {
  lockSessionOfToken,
  revokeFamily,
  findSessions,
  touchSession,
  type Device,
  type SessionRow,
} from '../repository/sessions.ts';
import { findTokenFamily, rotateToken, type ActiveToken, type TokenFamily } from '../repository/token-family.ts';
import type { UserRow } from '../repository/users.ts';
import { createSessionJson, type SessionJson } from './issue.ts';
import { judgeSession, judgeToken, getLastUse, type SessionState } from './reuse.ts';
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
  // Returns a refusal instead of throwing it, so that the revocation is committed.
  const result = await context.database
    .asOwner((tx) => refresh(context, tx, token, device), { repeatable: true })
    .catch(toConflict);
  if (result instanceof AuthError) throw result;
  return result;
}

type Family = TokenFamily & Readonly<{ session: SessionRow }>;

/** Statements of one group leave together: a refresh waits for the database as rarely as it can. */
async function refresh(context: AuthContext, tx: Tx, token: string, device: Device): Promise<SessionJson | AuthError> {
  const family = await lockFamily(context, tx, hashToken(token));
  if (family instanceof AuthError) return family;
  const { user, session, presented, active } = family;
  const now = context.now();
  const reuseIntervalMs = context.auth.refresh_token_reuse_interval * 1_000;
  const verdict = judgeToken({ presented, active, now, reuseIntervalMs });
  if (verdict === 'stolen') return revokeStolenFamily(context, tx, family, device);
  const next = verdict === 'rotate' ? context.chain.deriveChild(token) : deriveActiveToken(context, token, active);
  // The active token does not derive from this one: the session was upgraded in between (upgradeSession).
  if (next === undefined) return ERRORS.refreshUsed();
  const at = new Date(now);
  if (verdict === 'rotate') {
    const change = { sessionId: session.id, userId: user.id, parent: presented.token, child: hashToken(next) };
    await rotateToken(tx, { ...change, device, at });
  } else await touchSession(tx, session.id, device, at);
  return createSessionJson(context, family, next);
}

/** Locks the token's session, so that concurrent refreshes wait, and reads everything else behind the lock. */
async function lockFamily(context: AuthContext, tx: Tx, hash: string): Promise<Family | AuthError> {
  const [, session, family] = await Promise.all([
    tx.query(`set local lock_timeout = '5s'`, []),
    lockSessionOfToken(tx, hash),
    findTokenFamily(tx, hash),
  ]);
  if (session === undefined || family === undefined) return ERRORS.refreshNotFound();
  if (isBanned(family.user, context.now())) return ERRORS.bannedLogin();
  const refusal = await checkSession(context, tx, family.user, session);
  return refusal ?? { ...family, session };
}

const REFUSALS: Readonly<Record<Exclude<SessionState, 'valid'>, () => AuthError>> = {
  expired: ERRORS.sessionExpired,
  inactive: ERRORS.sessionInactive,
  'low-aal': ERRORS.sessionLacksAal2,
};

/** `[auth.sessions]` */
async function checkSession(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  session: SessionRow,
): Promise<AuthError | undefined> {
  const { timebox, inactivity_timeout, allow_low_aal, single_per_user: single } = context.auth.sessions;
  const limits = {
    timeboxMs: parseOptionalDuration(timebox),
    inactivityMs: parseOptionalDuration(inactivity_timeout),
    lowAalMs: parseOptionalDuration(allow_low_aal),
  };
  const facts = { now: context.now(), secondFactor: hasSecondFactor(user) };
  const state = judgeSession(session, limits, facts);
  if (state !== 'valid') return REFUSALS[state]();
  if (!single) return undefined;
  const others = (await findSessions(tx, user.id)).filter((other) => judgeSession(other, limits, facts) === 'valid');
  return others.some((other) => getLastUse(other) > getLastUse(session)) ? ERRORS.sessionReplaced() : undefined;
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

function parseOptionalDuration(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

function toConflict(error: unknown): AuthError {
  if (getErrorCode(error) === LOCK_NOT_AVAILABLE) return ERRORS.conflict();
  throw error;
}
