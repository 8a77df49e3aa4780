import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { Text } from '../../body.ts';
import { durationMs } from '../../durations.ts';
import { smsTooSoon } from '../../errors.ts';
import { FACTOR_FAULTS } from '../../factors/errors.ts';
import { creationOptions, relyingParty, requestOptions, type Ceremony } from '../../factors/passkeys.ts';
import { requireVerification } from '../../factors/rules.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteChallenge,
  factorsOf,
  insertChallenge,
  type FactorRow,
  type WebAuthnQuestion,
} from '../../repository/factors.ts';
import { lockUser, type UserRow } from '../../repository/users.ts';
import type { Ask } from '../../route.ts';
import { factorCall, factorOf, type Owner } from './factor-route.ts';

const Body = z.object({ channel: Text });
type Body = z.infer<typeof Body>;

const spec = {
  method: 'POST',
  url: '/factors/:factor_id/challenge',
  limit: 'factorChallenge',
  body: Body,
  presence: 'optional',
} as const;

/** POST /factors/:id/challenge: what has to be answered by /verify, once and within five minutes. */
export const challenge = factorCall(spec, async (ask, owner) => {
  const { context, request, body, at } = ask;
  const factor = await context.database.asOwner((tx) => factorOf(tx, request, owner.user.id));
  requireVerification(context, factor.factor_type);
  const expires_at = Math.floor(at.getTime() / 1_000) + context.auth.mfa.challenge_expiry_duration;
  const common = { type: factor.factor_type, expires_at };
  switch (factor.factor_type) {
    case 'totp':
      return { ...common, id: await context.database.asOwner((tx) => store(tx, ask, factor, {})) };
    case 'phone':
      if (body.channel !== '' && body.channel !== 'sms') throw FACTOR_FAULTS.badChannel();
      return { ...common, id: await sendCode(ask, owner, factor) };
    default:
      return { ...common, ...(await askPasskey(ask, owner.user, factor)) };
  }
});

type Question = Readonly<{ id?: string; otpCode?: string; question?: WebAuthnQuestion }>;

async function store(tx: Tx, ask: Ask<Body>, factor: FactorRow, more: Question): Promise<string> {
  const { device, at } = ask;
  const id = await insertChallenge(tx, { factorId: factor.id, address: device.address, at, ...more });
  const traits = { factor_id: factor.id, factor_type: factor.factor_type, challenge_id: id };
  await audit(tx, { action: 'challenge_created', actorId: factor.user_id, address: device.address, traits, at });
  return id;
}

/** The message goes out when the challenge is stored, outside of any transaction; where it fails there is none. */
async function sendCode(ask: Ask<Body>, { user }: Owner, factor: FactorRow): Promise<string> {
  const { context, request } = ask;
  const id = randomUUID();
  const phone = factor.phone ?? '';
  const { code } = context.codes.issue(phone, context.auth.mfa.phone.otp_length);
  await context.database.asOwner(async (tx) => {
    await lockUser(tx, user.id);
    refuseTooSoon(ask, await factorOf(tx, request, user.id));
    await store(tx, ask, factor, { id, otpCode: context.secrets.seal(id, code) });
  });
  try {
    await context.sms.send({ phone, code, userId: user.id, purpose: 'mfa' });
  } catch (error) {
    await context.database.asOwner((tx) => deleteChallenge(tx, id));
    throw error;
  }
  return id;
}

function refuseTooSoon({ context }: Ask<Body>, { last_challenged_at: last }: FactorRow): void {
  if (last === null) return;
  const pause = durationMs(context.auth.mfa.phone.max_frequency) ?? 0;
  const left = last.getTime() + pause - context.now();
  if (left >= 0) throw smsTooSoon(Math.max(1, Math.ceil(left / 1_000)));
}

/** A factor in the making is asked for a new passkey, a finished one for any of the user's. */
async function askPasskey(ask: Ask<Body>, user: UserRow, factor: FactorRow) {
  const { context } = ask;
  const { mfa } = context.auth;
  const all = await context.database.asOwner((tx) => factorsOf(tx, user.id));
  const ceremony: Ceremony = {
    party: relyingParty(context.auth),
    credentials: all.flatMap(({ web_authn_credential: credential }) => (credential === null ? [] : [credential])),
    timeoutMs: mfa.challenge_expiry_duration * 1_000,
  };
  const type = factor.status === 'verified' ? 'request' : 'create';
  const publicKey =
    type === 'request'
      ? await requestOptions(ceremony)
      : await creationOptions(ceremony, { id: user.id, name: user.email ?? user.phone ?? user.id });
  const question = { type, challenge: publicKey.challenge } as const;
  const id = await context.database.asOwner((tx) => store(tx, ask, factor, { question }));
  return { id, webauthn: { type, credential_options: { publicKey } } };
}
