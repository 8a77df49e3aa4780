import { timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { digestSecret } from '#lib/sealed.ts';
import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { ERRORS, type AuthError } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import {
  deleteChallenge,
  deleteUnverified,
  findFactors,
  lockChallenge,
  markVerified,
  updateFactor,
  type ChallengeRow,
  type FactorChange,
  type FactorRow,
  type FactorType,
} from '../repository/factors.ts';
import { deleteAal1Sessions, findSession, type Device } from '../repository/sessions.ts';
import { findUserById, lockUser } from '../repository/users.ts';
import { upgradeSession, type SecondFactorMethod, type SessionJson } from '../sessions/issue.ts';
import { challengeExpired, FACTOR_ERRORS, hasSecondFactor, judgeChallenge, verificationFailed } from './rules.ts';
import {
  verifyAssertion,
  Assertion,
  Attestation,
  getCredentialId,
  verifyRegistration,
  resolveRelyingParty,
} from './passkeys.ts';
import { verifyTotp } from './totp.ts';

export const AMR_METHODS: Readonly<Record<FactorType, SecondFactorMethod>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
};

type Attempt = Readonly<{
  userId: string;
  sessionId: string;
  factorId: string;
  challengeId: string;
  answer: Answer;
  device: Device;
  at: Date;
}>;

/**
 * Verifies the answer to a challenge and upgrades the session. Returns a refusal instead of throwing it, so that the
 * audit entry is committed.
 */
export async function verifyFactor(context: AuthContext, tx: Tx, attempt: Attempt): Promise<SessionJson | AuthError> {
  const { userId, answer, device, at, challengeId } = attempt;
  // Serializes the answers of one user, so that no code counts twice.
  if ((await lockUser(tx, userId)) === undefined) return ERRORS.subjectNotFound();
  const factors = await findFactors(tx, userId);
  const factor = factors.find(({ id }) => id === attempt.factorId);
  if (factor === undefined) return FACTOR_ERRORS.notFound();
  // The enrolment may have begun before the account had a second factor, which it must not get around.
  const isEnrolment = factor.status === 'unverified' && hasSecondFactor({ factors });
  if (isEnrolment && (await findSession(tx, attempt.sessionId))?.aal !== 'aal2') return FACTOR_ERRORS.enrolNeedsAal2();
  const shown = { id: challengeId, factorId: factor.id, address: device.address };
  const challenge = await lockChallenge(tx, shown);
  if (challenge === undefined) return FACTOR_ERRORS.challengeNotFound();
  const state = judgeChallenge(challenge, context.now(), context.auth.mfa.challenge_expiry_duration * 1_000);
  if (state === 'not-answerable') return FACTOR_ERRORS.addressMismatch();
  if (state === 'expired') {
    await deleteChallenge(tx, challengeId);
    return challengeExpired(challengeId);
  }
  const verified = await checkAnswer(context, { factor, factors, challenge, answer });
  // `verification_attempted` is upstream's name for a verification that succeeded.
  const action = verified === undefined ? 'verification_failed' : 'verification_attempted';
  const traits = { factor_id: factor.id, factor_type: factor.factor_type, challenge_id: challengeId };
  await audit(tx, { action, actorId: userId, address: device.address, traits, at });
  if (verified === undefined) return verificationFailed(factor.factor_type);
  await markVerified(tx, challengeId, at);
  return upgradeToAal2(context, tx, attempt, factor, verified);
}

/** Marks the factor as verified, upgrades this session and ends the user's sessions without a second factor. */
async function upgradeToAal2(
  context: AuthContext,
  tx: Tx,
  { userId, sessionId, at }: Attempt,
  { factor_type: type }: FactorRow,
  { factorId, change }: VerifiedFactor,
): Promise<SessionJson> {
  await updateFactor(tx, factorId, { ...change, status: 'verified' }, at);
  await deleteUnverified(tx, userId, type);
  const user = await findUserById(tx, userId);
  if (user === undefined) throw ERRORS.subjectNotFound();
  const session = await upgradeSession(context, tx, { user, sessionId, factorId, method: AMR_METHODS[type], at });
  await deleteAal1Sessions(tx, userId);
  return session;
}

type AnsweredChallenge = Readonly<{
  factor: FactorRow;
  /** All factors of the user. */
  factors: readonly FactorRow[];
  challenge: ChallengeRow;
  answer: Answer;
}>;

/** The verified factor and the columns to update with it. */
type VerifiedFactor = Readonly<{ factorId: string; change: FactorChange }>;

const BASE32 = /^[A-Z2-7]+=*$/;

type Context = Pick<AuthContext, 'auth' | 'secrets' | 'now'>;

/** Returns undefined where the answer is wrong. */
async function checkAnswer(context: Context, given: AnsweredChallenge): Promise<VerifiedFactor | undefined> {
  const { factor, answer } = given;
  switch (answer.kind) {
    case 'code':
      return factor.factor_type === 'totp'
        ? checkTotp(context, factor, answer.code)
        : checkSentCode(context, given, answer.code);
    case 'create':
      return checkNewPasskey(context, given, answer);
    default:
      return checkPasskey(context, given, answer);
  }
}

function checkTotp({ secrets, now }: Context, factor: FactorRow, code: string): VerifiedFactor | undefined {
  const kept = factor.secret ?? '';
  // A secret moved from upstream is stored in plain text until its first use, as upstream does.
  const isPlain = BASE32.test(kept);
  const secret = isPlain ? kept : secrets.open(factor.id, kept);
  const lastStep = factor.last_totp_step === null ? undefined : Number(factor.last_totp_step);
  const step = verifyTotp(secret, code, { now: now(), lastStep });
  if (step === undefined) return undefined;
  const sealed = isPlain ? { secret: secrets.seal(factor.id, secret) } : {};
  return { factorId: factor.id, change: { last_totp_step: step, ...sealed } };
}

function checkSentCode(
  { secrets }: Context,
  { factor, challenge }: AnsweredChallenge,
  code: string,
): VerifiedFactor | undefined {
  const sent = secrets.open(challenge.id, challenge.otp_code ?? '');
  return timingSafeEqual(digestSecret(sent), digestSecret(code)) ? { factorId: factor.id, change: {} } : undefined;
}

async function checkNewPasskey(
  { auth }: Context,
  given: AnsweredChallenge,
  answer: Extract<Answer, { kind: 'create' }>,
): Promise<VerifiedFactor | undefined> {
  const { factor, challenge } = given;
  const question = challenge.web_authn_session_data;
  if (question?.type !== 'create' || factor.status === 'verified') return undefined;
  const made = await verifyRegistration(answer.credential, question.challenge, resolveRelyingParty(auth));
  if (made === undefined) return undefined;
  const change = { web_authn_credential: made.credential, web_authn_aaguid: made.aaguid };
  return { factorId: factor.id, change };
}

/** Accepts any of the user's passkeys; the one that signed is the verified factor. */
async function checkPasskey(
  { auth }: Context,
  given: AnsweredChallenge,
  answer: Extract<Answer, { kind: 'request' }>,
): Promise<VerifiedFactor | undefined> {
  const { factors, challenge } = given;
  const question = challenge.web_authn_session_data;
  const owner = factors.find(
    ({ web_authn_credential: stored }) => stored !== null && getCredentialId(stored) === answer.credential.id,
  );
  if (question?.type !== 'request' || owner === undefined || owner.web_authn_credential === null) return undefined;
  const party = resolveRelyingParty(auth);
  const credential = await verifyAssertion(answer.credential, question.challenge, party, owner.web_authn_credential);
  return credential && { factorId: owner.id, change: { web_authn_credential: credential } };
}

/** The answer to a challenge: a code, a new passkey, or a passkey's signature. */
type Answer =
  | Readonly<{ kind: 'code'; code: string }>
  | Readonly<{ kind: 'create'; credential: z.infer<typeof Attestation> }>
  | Readonly<{ kind: 'request'; credential: z.infer<typeof Assertion> }>;

type Given = Readonly<{
  code: string;
  webauthn?: Readonly<{ type: string; credential_response?: unknown }> | null | undefined;
}>;

/** Throws AuthError 400 where the answer does not fit the kind of factor. */
export function parseAnswer(type: FactorType, { code, webauthn }: Given): Answer {
  if (type !== 'webauthn') {
    if (code === '') throw FACTOR_ERRORS.emptyCode();
    return { kind: 'code', code };
  }
  if (webauthn === undefined || webauthn === null) throw FACTOR_ERRORS.webAuthnNeeded();
  switch (webauthn.type) {
    case 'create':
      return { kind: 'create', credential: parseCredential(Attestation, webauthn.credential_response) };
    case 'request':
      return { kind: 'request', credential: parseCredential(Assertion, webauthn.credential_response) };
    default:
      throw FACTOR_ERRORS.webAuthnType();
  }
}

function parseCredential<Credential>(schema: z.ZodType<Credential>, given: unknown): Credential {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw FACTOR_ERRORS.badResponse();
}
