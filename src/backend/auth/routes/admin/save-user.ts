import { parseOptions } from '@node-rs/bcrypt';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, createAccount, merged } from '../../accounts.ts';
import { validEmail, validPhone } from '../../addresses.ts';
import { Data, Flag, Text } from '../../body.ts';
import type { AuthContext } from '../../context.ts';
import { durationMs } from '../../durations.ts';
import { FAULTS, invalid } from '../../errors.ts';
import { checkPassword, hashPassword } from '../../passwords.ts';
import { audit } from '../../repository/audit.ts';
import { identitiesOf, putIdentity } from '../../repository/identities.ts';
import { deleteTokens } from '../../repository/one-time-tokens.ts';
import { deleteSessionsOf } from '../../repository/sessions.ts';
import { findUserByEmail, phoneIsTaken, type UserChange, type UserRow } from '../../repository/users.ts';
import { adminCall } from '../../route.ts';
import { userJson } from '../../user-json.ts';
import { lockExisting, userIdOf } from './users.ts';

/** What an administrator may set on an account. */
const AdminBody = z.object({
  id: Text,
  email: Text,
  phone: Text,
  password: Text,
  password_hash: Text,
  role: Text,
  email_confirm: Flag,
  phone_confirm: Flag,
  user_metadata: Data,
  app_metadata: Data,
  ban_duration: Text,
});
type AdminBody = z.infer<typeof AdminBody>;

const Uuid = z.guid();
// As far as upstream's own durations reach.
const LONGEST_BAN_MS = 290 * 365 * 24 * 3_600_000;

function newId(body: AdminBody): { id?: string } {
  if (body.id === '') return {};
  if (!Uuid.safeParse(body.id).success) throw invalid('ID must conform to the uuid v4 format');
  return { id: body.id };
}

const LONGEST_ROLE = 255;

/** Throws AuthError where the database has no room for it. */
function roleOf({ role }: AdminBody): { role?: string } {
  if (role.length > LONGEST_ROLE) throw invalid('role is too long');
  return role === '' ? {} : { role };
}

/** The hash to store, where a password or a hash is given. Throws AuthError. */
async function passwordHashOf(body: AdminBody, context: AuthContext): Promise<string | undefined> {
  if (body.password !== '' && body.password_hash !== '') {
    throw invalid('Only a password or a password hash should be provided');
  }
  if (body.password_hash !== '') return knownHash(body.password_hash);
  if (body.password === '') return undefined;
  await checkPassword(body.password, context);
  return hashPassword(body.password);
}

function knownHash(hash: string): string {
  try {
    parseOptions(hash);
    return hash;
  } catch {
    throw invalid('Invalid password hash: bcrypt is expected');
  }
}

/** `banned_until`; undefined where nothing about it is asked. Throws AuthError. */
function bannedUntil(body: AdminBody, now: number): Date | null | undefined {
  if (body.ban_duration === '') return undefined;
  if (body.ban_duration === 'none') return null;
  const length = durationMs(body.ban_duration);
  if (length === undefined || length > LONGEST_BAN_MS) {
    throw invalid(`invalid format for ban duration: ${body.ban_duration}`);
  }
  return new Date(now + length);
}

/** POST /admin/users: an account made by an administrator; no mail is sent. */
export const createUser = adminCall({ method: 'POST', url: '/admin/users', body: AdminBody }, async (ask) => {
  const { context, body, at, device } = ask;
  if (body.email === '' && body.phone === '') throw invalid('Cannot create a user without either an email or phone');
  const contact = {
    ...(body.email === '' ? {} : { email: validEmail(body.email) }),
    ...(body.phone === '' ? {} : { phone: validPhone(body.phone) }),
  };
  const passwordHash = await passwordHashOf(body, context);
  const banned_until = bannedUntil(body, context.now());
  return context.database.asOwner(async (tx) => {
    await refuseTaken(tx, contact);
    let user = await createAccount(tx, {
      ...newId(body),
      ...contact,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...roleOf(body),
      data: body.user_metadata,
      appMetadata: body.app_metadata,
      at,
    });
    if (banned_until !== undefined) user = await changeAccount(tx, user.id, { banned_until }, at);
    user = await confirmContacts(tx, user, body, at);
    await audit(tx, { action: 'user_signedup', actorId: undefined, userId: user.id, address: device.address, at });
    return userJson(user, await identitiesOf(tx, [user.id]));
  });
});

async function refuseTaken(tx: Tx, contact: { email?: string; phone?: string }): Promise<void> {
  if (contact.email !== undefined && (await findUserByEmail(tx, contact.email)) !== undefined) {
    throw FAULTS.emailExists();
  }
  if (contact.phone !== undefined && (await phoneIsTaken(tx, contact.phone))) throw FAULTS.phoneExists();
}

async function confirmContacts(tx: Tx, user: UserRow, body: AdminBody, at: Date): Promise<UserRow> {
  const mailed = body.email_confirm && user.email !== null ? await confirmEmail(tx, user, at) : user;
  return body.phone_confirm && user.phone !== null ? confirmPhone(tx, mailed, at) : mailed;
}

/** PUT /admin/users/:id: takes effect at once and without any confirmation. A new password ends every session. */
export const updateUser = adminCall({ method: 'PUT', url: '/admin/users/:id', body: AdminBody }, async (ask) => {
  const { context, body, request, at, device } = ask;
  const id = userIdOf(request);
  const passwordHash = await passwordHashOf(body, context);
  const banned = bannedUntil(body, context.now());
  return context.database.asOwner(async (tx) => {
    const before = await lockExisting(tx, id);
    const change = {
      ...changeOf(body, before, passwordHash),
      ...(banned === undefined ? {} : { banned_until: banned }),
    };
    const changed = await changeAccount(tx, id, change, at);
    await updateIdentities(tx, changed, before, at);
    const user = await confirmContacts(tx, changed, body, at);
    if (passwordHash !== undefined) {
      await deleteTokens(tx, id);
      await deleteSessionsOf(tx, id, undefined);
    }
    await audit(tx, { action: 'user_modified', actorId: undefined, userId: id, address: device.address, at });
    return userJson(user, await identitiesOf(tx, [id]));
  });
});

function changeOf(body: AdminBody, before: UserRow, passwordHash: string | undefined): UserChange {
  return {
    ...(body.email === '' ? {} : { email: validEmail(body.email) }),
    ...(body.phone === '' ? {} : { phone: validPhone(body.phone) }),
    ...roleOf(body),
    ...(passwordHash === undefined ? {} : { encrypted_password: passwordHash }),
    raw_user_meta_data: merged(before.raw_user_meta_data, body.user_metadata),
    raw_app_meta_data: merged(before.raw_app_meta_data, body.app_metadata),
  };
}

async function updateIdentities(tx: Tx, user: UserRow, before: UserRow, at: Date): Promise<void> {
  if (user.email !== before.email) {
    await putIdentity(tx, { provider: 'email', userId: user.id, data: { email: user.email }, at });
  }
  if (user.phone !== before.phone) {
    await putIdentity(tx, { provider: 'phone', userId: user.id, data: { phone: user.phone }, at });
  }
}
