import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { Text } from '../../body.ts';
import { parseDuration } from '../../durations.ts';
import { smsTooSoon } from '../../errors.ts';
import {
  buildCreationOptions,
  buildRequestOptions,
  resolveRelyingParty,
  type Ceremony,
} from '../../factors/passkeys.ts';
import { FACTOR_ERRORS, requireVerification } from '../../factors/rules.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteChallenge,
  findFactors,
  insertChallenge,
  type FactorRow,
  type WebAuthnQuestion,
} from '../../repository/factors.ts';
import { lockUser, type UserRow } from '../../repository/users.ts';
import { factorRoute, findPathFactor, type FactorOwner, type RequestContext } from '../../route.ts';

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
  requireVerification(context, factor.factor_type);
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

type Question = Readonly<{ id?: string; otpCode?: string; question?: WebAuthnQuestion }>;

async function storeChallenge(
  tx: Tx,
  input: RequestContext<ChallengeBody>,
  factor: FactorRow,
  more: Question,
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
  if (left >= 0) throw smsTooSoon(Math.max(1, Math.ceil(left / 1_000)));
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
