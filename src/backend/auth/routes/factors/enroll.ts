import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { parsePhone } from '../../addresses.ts';
import { Text } from '../../body.ts';
import type { AuthContext } from '../../context.ts';
import { parseDuration } from '../../durations.ts';
import { ERRORS, invalid } from '../../errors.ts';
import { checkEnrolment, FACTOR_ERRORS, MAX_NAME_LENGTH, requireEnabled } from '../../factors/rules.ts';
import { createTotp, type NewTotp } from '../../factors/totp.ts';
import { AMR_METHODS } from '../../factors/verify-factor.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteAbandoned,
  deleteFactor,
  findFactors,
  insertFactor,
  lowerSessionsToAal1,
  type NewFactor,
} from '../../repository/factors.ts';
import { findAmr } from '../../repository/sessions.ts';
import { lockUser, type UserRow } from '../../repository/users.ts';
import { factorRoute, findPathFactor, type FactorOwner, type RequestContext } from '../../route.ts';

const EnrollBody = z.object({ factor_type: Text, friendly_name: Text, issuer: Text, phone: Text });
type EnrollBody = z.infer<typeof EnrollBody>;

const Type = z.enum(['totp', 'phone', 'webauthn']);
const MAX_ISSUER_LENGTH = 100;

/** POST /factors: begins the enrolment of a second factor, which counts after its first verification. */
export const enroll = factorRoute({ method: 'POST', url: '/factors', body: EnrollBody }, async (input, owner) => {
  const { context, body, at } = input;
  const type = Type.safeParse(body.factor_type).data;
  if (type === undefined) throw FACTOR_ERRORS.unknownType();
  requireEnabled(context, type, 'enroll');
  if (body.friendly_name.length > MAX_NAME_LENGTH) throw invalid('friendly_name is too long');
  const id = randomUUID();
  const name = { id, type, friendly_name: body.friendly_name };
  const common = { id, userId: owner.user.id, name: body.friendly_name, type, at };
  if (type === 'totp') {
    const totp = createTotpFor(input, owner.user);
    await storeFactor(input, owner, { ...common, secret: context.secrets.seal(id, totp.secret) });
    return { ...name, totp };
  }
  if (type === 'webauthn') {
    await storeFactor(input, owner, common);
    return name;
  }
  if (body.phone === '') throw FACTOR_ERRORS.phoneNeeded();
  await storeFactor(input, owner, { ...common, phone: parsePhone(body.phone) });
  return { ...name, phone: body.phone };
});

function createTotpFor({ context, body }: RequestContext<EnrollBody>, user: UserRow): NewTotp {
  if (body.issuer.length > MAX_ISSUER_LENGTH) throw invalid('issuer is too long');
  const issuer = body.issuer === '' ? new URL(context.auth.site_url).host : body.issuer;
  return createTotp(issuer, user.email ?? user.phone ?? user.id);
}

async function storeFactor(
  { context, device, at }: RequestContext<EnrollBody>,
  { user, session }: FactorOwner,
  factor: NewFactor,
): Promise<void> {
  const { mfa } = context.auth;
  const abandoned = new Date(context.now() - (parseDuration(mfa.factor_expiry_duration) ?? 0));
  await context.database.asOwner(async (tx) => {
    // Serializes concurrent enrolments, so that the limit counts all of them.
    if ((await lockUser(tx, user.id)) === undefined) throw ERRORS.subjectNotFound();
    await deleteAbandoned(tx, user.id, abandoned);
    await requireRecentLogin(context, tx, session, at);
    if (factor.phone !== undefined) await replaceSamePhone(tx, user.id, factor.phone);
    const factors = await findFactors(tx, user.id);
    const refused = checkEnrolment({ factors, name: factor.name, max: mfa.max_enrolled_factors, aal: session.aal });
    if (refused !== undefined) throw refused;
    await insertFactor(tx, factor);
    const traits = { factor_id: factor.id, factor_type: factor.type };
    await audit(tx, { action: 'factor_in_progress', actorId: user.id, address: device.address, traits, at });
  });
}

/** A stolen access token alone must not enrol a second factor (`enroll_login_max_age`). */
async function requireRecentLogin(
  { auth }: AuthContext,
  tx: Tx,
  session: FactorOwner['session'],
  at: Date,
): Promise<void> {
  const longest = auth.mfa.enroll_login_max_age;
  if (longest === undefined || session.aal === 'aal2') return;
  const [latest] = await findAmr(tx, session.id);
  const ageMs = at.getTime() - (latest?.timestamp ?? 0) * 1_000;
  if (ageMs > (parseDuration(longest) ?? 0)) throw FACTOR_ERRORS.enrolNeedsLogin();
}

/** Replaces an unverified factor with the same number. */
async function replaceSamePhone(tx: Tx, userId: string, phone: string): Promise<void> {
  const same = (await findFactors(tx, userId)).find((factor) => factor.phone === phone);
  if (same?.status === 'verified') throw FACTOR_ERRORS.phoneVerified();
  if (same !== undefined) await deleteFactor(tx, same.id);
}

/**
 * DELETE /factors/:id → {id}. Sessions that it upgraded fall to aal1 at once in the database; the claim of the token
 * follows with the next refresh.
 */
export const unenroll = factorRoute({ method: 'DELETE', url: '/factors/:factor_id' }, (input, { user, session }) => {
  const { context, request, device, at } = input;
  return context.database.asOwner(async (tx) => {
    await lockUser(tx, user.id);
    const factor = await findPathFactor(tx, request, user.id);
    if (factor.status === 'verified' && session.aal !== 'aal2') throw FACTOR_ERRORS.unenrolNeedsAal2();
    await lowerSessionsToAal1(tx, factor.id, AMR_METHODS[factor.factor_type]);
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await audit(tx, { action: 'factor_unenrolled', actorId: user.id, address: device.address, traits, at });
    return { id: factor.id };
  });
});
