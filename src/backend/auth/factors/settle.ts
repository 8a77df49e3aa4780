import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS, type AuthError } from '../errors.ts';
import { audit } from '../records/audit.ts';
import { deleteChallenge, lockChallenge, markVerified } from '../records/challenges.ts';
import { deleteUnverified, factorsOf, updateFactor, type FactorRow, type FactorType } from '../records/factors.ts';
import { deleteLowSessions, type Device } from '../records/sessions.ts';
import { findUserById, lockUser } from '../records/users.ts';
import type { SessionJson } from '../sessions/issue.ts';
import { upgradeSession, type SecondFactorMethod } from '../sessions/upgrade.ts';
import type { Answer } from './answers.ts';
import { challengeExpired, FACTOR_FAULTS, verificationFailed } from './faults.ts';
import { prove, type Proof } from './prove.ts';
import { judgeChallenge } from './rules.ts';

export const METHODS: Readonly<Record<FactorType, SecondFactorMethod>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
};

export type Attempt = Readonly<{
  userId: string;
  sessionId: string;
  factorId: string;
  challengeId: string;
  answer: Answer;
  device: Device;
  at: Date;
}>;

/** Judges an answer and does what follows. A refusal is returned, not thrown, so that what was noted is committed. */
export async function settle(context: AuthContext, tx: Tx, attempt: Attempt): Promise<SessionJson | AuthError> {
  const { userId, answer, device, at, challengeId } = attempt;
  // Two answers of one user are looked at one after the other, so that no code counts twice.
  if ((await lockUser(tx, userId)) === undefined) return FAULTS.userGone();
  const factors = await factorsOf(tx, userId);
  const factor = factors.find(({ id }) => id === attempt.factorId);
  if (factor === undefined) return FACTOR_FAULTS.notFound();
  const asked = { id: challengeId, factorId: factor.id, address: device.address };
  const challenge = await lockChallenge(tx, asked);
  if (challenge === undefined) return FACTOR_FAULTS.challengeNotFound();
  const state = judgeChallenge(challenge, context.now(), context.auth.mfa.challenge_expiry_duration * 1_000);
  if (state === 'elsewhere') return FACTOR_FAULTS.addressMismatch();
  if (state === 'expired') {
    await deleteChallenge(tx, challengeId);
    return challengeExpired(challengeId);
  }
  const proof = await prove(context, { factor, factors, challenge, answer });
  const action = proof === undefined ? 'verification_failed' : 'verification_attempted';
  const traits = { factor_id: factor.id, factor_type: factor.factor_type, challenge_id: challengeId };
  await audit(tx, { action, actorId: userId, address: device.address, traits, at });
  if (proof === undefined) return verificationFailed(factor.factor_type);
  await markVerified(tx, challengeId, at);
  return lift(context, tx, attempt, factor, proof);
}

/** The factor counts from now on, this session is lifted, and those that have not shown one end. */
async function lift(
  context: AuthContext,
  tx: Tx,
  { userId, sessionId, at }: Attempt,
  { factor_type: type }: FactorRow,
  { factorId, change }: Proof,
): Promise<SessionJson> {
  await updateFactor(tx, factorId, { ...change, status: 'verified' }, at);
  await deleteUnverified(tx, userId, type);
  const user = await findUserById(tx, userId);
  if (user === undefined) throw FAULTS.userGone();
  const session = await upgradeSession(context, tx, { user, sessionId, factorId, method: METHODS[type], at });
  await deleteLowSessions(tx, userId);
  return session;
}
