import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthContext } from '../context.ts';
import type { ChallengeRow } from '../records/challenges.ts';
import type { FactorChange, FactorRow } from '../records/factors.ts';
import type { Answer } from './answers.ts';
import { relyingParty } from './relying-party.ts';
import { credentialId } from './stored-credential.ts';
import { acceptedStep } from './totp.ts';
import { asserted, registered } from './webauthn.ts';

export type Case = Readonly<{
  factor: FactorRow;
  /** All of the same user. */
  factors: readonly FactorRow[];
  challenge: ChallengeRow;
  answer: Answer;
}>;

/** Which factor was shown, and what is to be noted with it. */
export type Proof = Readonly<{ factorId: string; change: FactorChange }>;

const BASE32 = /^[A-Z2-7]+=*$/;

type Context = Pick<AuthContext, 'auth' | 'secrets' | 'now'>;

/** undefined: the answer is wrong. */
export async function prove(context: Context, given: Case): Promise<Proof | undefined> {
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
