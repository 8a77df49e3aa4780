import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS } from '../errors.ts';
import { insertRefreshToken, revokeFamily } from '../records/refresh-tokens.ts';
import { addAmr, lockSession, raiseSession } from '../records/sessions.ts';
import type { UserRow } from '../records/users.ts';
import { sessionJson, type SessionJson } from './issue.ts';
import { tokenHash } from './token-chain.ts';

export type SecondFactorMethod = 'totp' | 'mfa/phone' | 'mfa/webauthn';

export type Upgrade = Readonly<{
  user: UserRow;
  sessionId: string;
  factorId: string;
  method: SecondFactorMethod;
  at: Date;
}>;

/**
 * Lifts a session that has shown a second factor to aal2. Its refresh token is a new one that does not follow from the old:
 * whoever holds that one got it without the second factor. Throws AuthError where the session is gone.
 */
export async function upgradeSession(context: AuthContext, tx: Tx, upgrade: Upgrade): Promise<SessionJson> {
  const { user, sessionId, factorId, method, at } = upgrade;
  const session = await lockSession(tx, sessionId);
  if (session === undefined) throw FAULTS.sessionGone();
  await addAmr(tx, sessionId, method, at);
  await revokeFamily(tx, sessionId, at);
  const token = context.chain.fresh();
  await insertRefreshToken(tx, { hash: tokenHash(token), parent: null, userId: user.id, sessionId }, at);
  await raiseSession(tx, sessionId, factorId, at);
  return sessionJson(context, tx, user, { ...session, aal: 'aal2' }, token);
}
