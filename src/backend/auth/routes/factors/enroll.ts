import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { validPhone } from '../../addresses.ts';
import { Text } from '../../body.ts';
import type { AuthContext } from '../../context.ts';
import { durationMs } from '../../durations.ts';
import { FAULTS, invalid } from '../../errors.ts';
import { FACTOR_FAULTS, LONGEST_NAME } from '../../factors/errors.ts';
import { refusedEnrolment, requireEnrolment } from '../../factors/rules.ts';
import { newTotp, type NewTotp } from '../../factors/totp.ts';
import { METHODS } from '../../factors/verify-factor.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteAbandoned,
  deleteFactor,
  factorsOf,
  insertFactor,
  lowerSessions,
  type NewFactor,
} from '../../repository/factors.ts';
import { amrOf } from '../../repository/sessions.ts';
import { lockUser, type UserRow } from '../../repository/users.ts';
import type { Ask } from '../../route.ts';
import { factorCall, factorOf, type Owner } from './factor-route.ts';

const Body = z.object({ factor_type: Text, friendly_name: Text, issuer: Text, phone: Text });
type Body = z.infer<typeof Body>;

const Type = z.enum(['totp', 'phone', 'webauthn']);
const LONGEST_ISSUER = 100;

/** POST /factors: begins to set up a second factor, which counts as soon as it was shown once. */
export const enroll = factorCall({ method: 'POST', url: '/factors', body: Body }, async (ask, owner) => {
  const { context, body, at } = ask;
  const type = Type.safeParse(body.factor_type).data;
  if (type === undefined) throw FACTOR_FAULTS.unknownType();
  requireEnrolment(context, type);
  if (body.friendly_name.length > LONGEST_NAME) throw invalid('friendly_name is too long');
  const id = randomUUID();
  const name = { id, type, friendly_name: body.friendly_name };
  const common = { id, userId: owner.user.id, name: body.friendly_name, type, at };
  if (type === 'totp') {
    const totp = totpFor(ask, owner.user);
    await store(ask, owner, { ...common, secret: context.secrets.seal(id, totp.secret) });
    return { ...name, totp };
  }
  if (type === 'webauthn') {
    await store(ask, owner, common);
    return name;
  }
  if (body.phone === '') throw FACTOR_FAULTS.phoneNeeded();
  await store(ask, owner, { ...common, phone: validPhone(body.phone) });
  return { ...name, phone: body.phone };
});

function totpFor({ context, body }: Ask<Body>, user: UserRow): NewTotp {
  if (body.issuer.length > LONGEST_ISSUER) throw invalid('issuer is too long');
  const issuer = body.issuer === '' ? new URL(context.auth.site_url).host : body.issuer;
  return newTotp(issuer, user.email ?? user.phone ?? user.id);
}

async function store({ context, device, at }: Ask<Body>, { user, session }: Owner, factor: NewFactor): Promise<void> {
  const { mfa } = context.auth;
  const abandoned = new Date(context.now() - (durationMs(mfa.factor_expiry_duration) ?? 0));
  await context.database.asOwner(async (tx) => {
    // Whoever sets up another factor at the same time waits here, so that both are counted.
    if ((await lockUser(tx, user.id)) === undefined) throw FAULTS.userGone();
    await deleteAbandoned(tx, user.id, abandoned);
    await requireRecentLogin(context, tx, session, at);
    if (factor.phone !== undefined) await replaceSamePhone(tx, user.id, factor.phone);
    const factors = await factorsOf(tx, user.id);
    const rule = { factors, name: factor.name, most: mfa.max_enrolled_factors, aal: session.aal };
    const refused = refusedEnrolment(rule);
    if (refused !== undefined) throw refused;
    await insertFactor(tx, factor);
    const traits = { factor_id: factor.id, factor_type: factor.type };
    await audit(tx, { action: 'factor_in_progress', actorId: user.id, address: device.address, traits, at });
  });
}

/** A stolen access token alone must not become a second factor (`enroll_login_max_age`). */
async function requireRecentLogin({ auth }: AuthContext, tx: Tx, session: Owner['session'], at: Date): Promise<void> {
  const longest = auth.mfa.enroll_login_max_age;
  if (longest === undefined || session.aal === 'aal2') return;
  const [latest] = await amrOf(tx, session.id);
  const ageMs = at.getTime() - (latest?.timestamp ?? 0) * 1_000;
  if (ageMs > (durationMs(longest) ?? 0)) throw FACTOR_FAULTS.enrolNeedsLogin();
}

/** One phone is one factor. */
async function replaceSamePhone(tx: Tx, userId: string, phone: string): Promise<void> {
  const same = (await factorsOf(tx, userId)).find((factor) => factor.phone === phone);
  if (same?.status === 'verified') throw FACTOR_FAULTS.phoneVerified();
  if (same !== undefined) await deleteFactor(tx, same.id);
}

/** DELETE /factors/:id → {id}. Sessions that it lifted are at aal1 again with their next token. */
export const unenroll = factorCall({ method: 'DELETE', url: '/factors/:factor_id' }, (ask, { user, session }) => {
  const { context, request, device, at } = ask;
  return context.database.asOwner(async (tx) => {
    await lockUser(tx, user.id);
    const factor = await factorOf(tx, request, user.id);
    if (factor.status === 'verified' && session.aal !== 'aal2') throw FACTOR_FAULTS.unenrolNeedsAal2();
    await lowerSessions(tx, factor.id, METHODS[factor.factor_type]);
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await audit(tx, { action: 'factor_unenrolled', actorId: user.id, address: device.address, traits, at });
    return { id: factor.id };
  });
});
