import { createHash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS, type AuthError } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import {
  deleteChallenge,
  deleteUnverified,
  factorsOf,
  lockChallenge,
  markVerified,
  updateFactor,
  type ChallengeRow,
  type FactorChange,
  type FactorRow,
  type FactorType,
} from '../repository/factors.ts';
import { deleteLowSessions, type Device } from '../repository/sessions.ts';
import { findUserById, lockUser } from '../repository/users.ts';
import { upgradeSession, type SecondFactorMethod, type SessionJson } from '../sessions/issue.ts';
import { challengeExpired, FACTOR_FAULTS, verificationFailed } from './errors.ts';
import { asserted, Assertion, Attestation, credentialId, registered, relyingParty } from './passkeys.ts';
import { judgeChallenge } from './rules.ts';
import { acceptedStep } from './totp.ts';

export const METHODS: Readonly<Record<FactorType, SecondFactorMethod>> = {
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

type Case = Readonly<{
  factor: FactorRow;
  /** All of the same user. */
  factors: readonly FactorRow[];
  challenge: ChallengeRow;
  answer: Answer;
}>;

/** Which factor was shown, and what is to be noted with it. */
type Proof = Readonly<{ factorId: string; change: FactorChange }>;

const BASE32 = /^[A-Z2-7]+=*$/;

type Context = Pick<AuthContext, 'auth' | 'secrets' | 'now'>;

/** undefined: the answer is wrong. */
async function prove(context: Context, given: Case): Promise<Proof | undefined> {
  const { factor, answer } = given;
  switch (answer.kind) {
    case 'code':
      return factor.factor_type === 'totp'
        ? proveTotp(context, factor, answer.code)
        : proveSentCode(context, given, answer.code);
    case 'create':
      return proveNewPasskey(context, given, answer);
    default:
      return provePasskey(context, given, answer);
  }
}

function proveTotp({ secrets, now }: Context, factor: FactorRow, code: string): Proof | undefined {
  const kept = factor.secret ?? '';
  // As upstream does: a secret that came from elsewhere stands there as it is, until it is used.
  const moved = BASE32.test(kept);
  const secret = moved ? kept : secrets.open(factor.id, kept);
  const lastStep = factor.last_totp_step === null ? undefined : Number(factor.last_totp_step);
  const step = acceptedStep(secret, code, { now: now(), lastStep });
  if (step === undefined) return undefined;
  const sealed = moved ? { secret: secrets.seal(factor.id, secret) } : {};
  return { factorId: factor.id, change: { last_totp_step: step, ...sealed } };
}

function proveSentCode({ secrets }: Context, { factor, challenge }: Case, code: string): Proof | undefined {
  const sent = secrets.open(challenge.id, challenge.otp_code ?? '');
  return timingSafeEqual(digest(sent), digest(code)) ? { factorId: factor.id, change: {} } : undefined;
}

type Created = Extract<Answer, { kind: 'create' }>;

async function proveNewPasskey({ auth }: Context, given: Case, answer: Created): Promise<Proof | undefined> {
  const { factor, challenge } = given;
  const question = challenge.web_authn_session_data;
  if (question?.type !== 'create' || factor.status === 'verified') return undefined;
  const made = await registered(answer.credential, question.challenge, relyingParty(auth));
  if (made === undefined) return undefined;
  const change = { web_authn_credential: made.credential, web_authn_aaguid: made.aaguid };
  return { factorId: factor.id, change };
}

type Requested = Extract<Answer, { kind: 'request' }>;

/** Any of the user's passkeys will do; the one that was used is the one that was shown. */
async function provePasskey({ auth }: Context, given: Case, answer: Requested): Promise<Proof | undefined> {
  const { factors, challenge } = given;
  const question = challenge.web_authn_session_data;
  const owner = factors.find(
    ({ web_authn_credential: stored }) => stored !== null && credentialId(stored) === answer.credential.id,
  );
  if (question?.type !== 'request' || owner === undefined || owner.web_authn_credential === null) return undefined;
  const party = relyingParty(auth);
  const credential = await asserted(answer.credential, question.challenge, party, owner.web_authn_credential);
  return credential && { factorId: owner.id, change: { web_authn_credential: credential } };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What somebody shows: a code, a new passkey, or the signature of one. */
type Answer =
  | Readonly<{ kind: 'code'; code: string }>
  | Readonly<{ kind: 'create'; credential: z.infer<typeof Attestation> }>
  | Readonly<{ kind: 'request'; credential: z.infer<typeof Assertion> }>;

type Given = Readonly<{
  code: string;
  webauthn?: Readonly<{ type: string; credential_response?: unknown }> | null | undefined;
}>;

/** Throws AuthError 400 where it has not the form of an answer to this kind of factor. */
export function readAnswer(type: FactorType, { code, webauthn }: Given): Answer {
  if (type !== 'webauthn') {
    if (code === '') throw FACTOR_FAULTS.emptyCode();
    return { kind: 'code', code };
  }
  if (webauthn === undefined || webauthn === null) throw FACTOR_FAULTS.webAuthnNeeded();
  switch (webauthn.type) {
    case 'create':
      return { kind: 'create', credential: read(Attestation, webauthn.credential_response) };
    case 'request':
      return { kind: 'request', credential: read(Assertion, webauthn.credential_response) };
    default:
      throw FACTOR_FAULTS.webAuthnType();
  }
}

function read<Credential>(schema: z.ZodType<Credential>, given: unknown): Credential {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw FACTOR_FAULTS.badResponse();
}
