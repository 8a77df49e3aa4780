import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { toNetwork } from '#http/network.ts';
import type { Tx } from '../../../database/index.ts';
import { Text } from '../../body.ts';
import { parseDuration } from '../../durations.ts';
import { AuthError, badJson, tooSoon } from '../../errors.ts';
import {
  buildCreationOptions,
  buildRequestOptions,
  type Ceremony,
  resolveRelyingParty,
} from '../../factors/passkeys.ts';
import { FACTOR_ERRORS, requireEnabled } from '../../factors/rules.ts';
import { parseAnswer, verifyFactor } from '../../factors/verify-factor.ts';
import { throttleAttempt } from '../../limits/login-throttle.ts';
import { audit, hasAuditEntry } from '../../repository/audit.ts';
import {
  deleteChallenge,
  type FactorRow,
  findFactors,
  insertChallenge,
  type WebAuthnQuestion,
} from '../../repository/factors.ts';
import { lockUser, type UserRow } from '../../repository/users.ts';
import { type FactorOwner, factorRoute, findPathFactor, type RequestContext } from '../../route.ts';
import type { SessionJson } from '../../sessions/issue.ts';

const ChallengeBody = z.object({ channel: Text });
type ChallengeBody = z.infer<typeof ChallengeBody>;

const challengeSpec = {
  method: 'POST',
  url: '/factors/:factor_id/challenge',
  limit: 'factorChallenge',
  body: ChallengeBody,
  presence: 'optional',
} as const;

/** POST /factors/:id/challenge: creates a challenge that /verify answers once, within five minutes. */
export const challenge = factorRoute(challengeSpec, async (input, owner) => {
  const { context, request, body, at } = input;
  const factor = await context.database.asOwner((tx) => findPathFactor(tx, request, owner.user.id));
  requireEnabled(context, factor.factor_type, 'verify');
  const expires_at = Math.floor(at.getTime() / 1_000) + context.auth.mfa.challenge_expiry_duration;
  const common = { type: factor.factor_type, expires_at };
  switch (factor.factor_type) {
    case 'totp':
      return { ...common, id: await context.database.asOwner((tx) => storeChallenge(tx, input, factor, {})) };
    case 'phone':
      if (body.channel !== '' && body.channel !== 'sms') throw FACTOR_ERRORS.badChannel();
      return { ...common, id: await sendCode(input, owner, factor) };
    default:
      return { ...common, ...(await challengePasskey(input, owner.user, factor)) };
  }
});

async function storeChallenge(
  tx: Tx,
  input: RequestContext<ChallengeBody>,
  factor: FactorRow,
  more: Readonly<{ id?: string; otpCode?: string; question?: WebAuthnQuestion }>,
): Promise<string> {
  const { device, at } = input;
  const id = await insertChallenge(tx, { factorId: factor.id, address: device.address, at, ...more });
  if (id === undefined) throw FACTOR_ERRORS.notFound();
  const traits = { factor_id: factor.id, factor_type: factor.factor_type, challenge_id: id };
  await audit(tx, { action: 'challenge_created', actorId: factor.user_id, address: device.address, traits, at });
  return id;
}

/**
 * Sends the message after the challenge is stored, outside of any transaction; a failed message deletes the challenge.
 */
async function sendCode(
  input: RequestContext<ChallengeBody>,
  { user }: FactorOwner,
  factor: FactorRow,
): Promise<string> {
  const { context, request } = input;
  const id = randomUUID();
  const phone = factor.phone ?? '';
  const { code } = context.codes.issue(phone, context.auth.mfa.phone.otp_length);
  await context.database.asOwner(async (tx) => {
    await lockUser(tx, user.id);
    requirePause(input, await findPathFactor(tx, request, user.id));
    await storeChallenge(tx, input, factor, { id, otpCode: context.secrets.seal(id, code) });
  });
  try {
    await context.sms.send({ phone, code, userId: user.id, purpose: 'mfa' });
  } catch (error) {
    await context.database.asOwner((tx) => deleteChallenge(tx, id));
    throw error;
  }
  return id;
}

function requirePause({ context }: RequestContext<ChallengeBody>, { last_challenged_at: last }: FactorRow): void {
  if (last === null) return;
  const pause = parseDuration(context.auth.mfa.phone.max_frequency) ?? 0;
  const left = last.getTime() + pause - context.now();
  if (left >= 0) throw tooSoon('sms', left);
}

/** An unverified factor gets options to create a passkey, a verified one to sign with any of the user's. */
async function challengePasskey(input: RequestContext<ChallengeBody>, user: UserRow, factor: FactorRow) {
  const { context } = input;
  const { mfa } = context.auth;
  const all = await context.database.asOwner((tx) => findFactors(tx, user.id));
  const ceremony: Ceremony = {
    party: resolveRelyingParty(context.auth),
    credentials: all.flatMap(({ web_authn_credential: credential }) => (credential === null ? [] : [credential])),
    timeoutMs: mfa.challenge_expiry_duration * 1_000,
  };
  const type = factor.status === 'verified' ? 'request' : 'create';
  const publicKey =
    type === 'request'
      ? await buildRequestOptions(ceremony)
      : await buildCreationOptions(ceremony, { id: user.id, name: user.email ?? user.phone ?? user.id });
  const question = { type, challenge: publicKey.challenge } as const;
  const id = await context.database.asOwner((tx) => storeChallenge(tx, input, factor, { question }));
  return { id, webauthn: { type, credential_options: { publicKey } } };
}

const WebAuthn = z.object({ type: Text, credential_response: z.unknown().optional() });
const VerifyBody = z.object({ challenge_id: Text, code: Text, webauthn: WebAuthn.nullish() });
type VerifyBody = z.infer<typeof VerifyBody>;

const verifySpec = {
  method: 'POST',
  url: '/factors/:factor_id/verify',
  limit: 'factorVerify',
  body: VerifyBody,
} as const;

/** POST /factors/:id/verify: the answer to a challenge → a session at aal2. */
export const verifyFactorRoute = factorRoute(verifySpec, async (input, { user, session }) => {
  const { context, request, body, device, at } = input;
  const factor = await context.database.asOwner((tx) => findPathFactor(tx, request, user.id));
  if (factor.factor_type !== 'webauthn' && body.code === '') throw FACTOR_ERRORS.emptyCode();
  requireEnabled(context, factor.factor_type, 'verify');
  const answer = parseAnswer(factor.factor_type, body);
  const challengeId = parseChallengeId(body);
  const ids = { userId: user.id, sessionId: session.id, factorId: factor.id, challengeId };
  const attempt = (): Promise<SessionJson | AuthError> =>
    context.database.asOwner((tx) => verifyFactor(context, tx, { ...ids, answer, device, at }));
  // A signature cannot be guessed, a code can.
  const result = await (answer.kind === 'code' ? throttle(input, user.id, attempt) : attempt());
  if (result instanceof AuthError) throw result;
  return result;
});

/**
 * An attacker who guesses codes already knows the password, so only addresses of earlier verifications count as known.
 */
function throttle(
  input: RequestContext<VerifyBody>,
  userId: string,
  attempt: () => Promise<SessionJson | AuthError>,
): Promise<SessionJson | AuthError> {
  const { context, device } = input;
  const guess = {
    account: `factor ${userId}`,
    network: toNetwork(device.address),
    isKnown: () => isKnownAddress(input, userId),
  };
  return throttleAttempt(context.loginThrottle, guess, attempt, (result) => {
    if (!(result instanceof AuthError)) return 'succeed';
    return result.code === 'mfa_verification_failed' ? 'fail' : 'withdraw';
  });
}

function isKnownAddress(
  { context, device: { address } }: RequestContext<VerifyBody>,
  userId: string,
): Promise<boolean> {
  return context.database.asOwner(
    async (tx) => address !== undefined && (await hasAuditEntry(tx, userId, 'verification_attempted', address)),
  );
}

function parseChallengeId({ challenge_id: id }: VerifyBody): string {
  if (id === '') throw FACTOR_ERRORS.challengeNotFound();
  if (!z.guid().safeParse(id).success) throw badJson('challenge_id: Invalid UUID');
  return id;
}
