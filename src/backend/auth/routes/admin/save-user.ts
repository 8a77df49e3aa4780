import { parseOptions } from '@node-rs/bcrypt';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, createAccount, mergeMetadata } from '../../accounts.ts';
import { parseEmail, parsePhone } from '../../addresses.ts';
import { Data, Flag, Text } from '../../body.ts';
import type { AuthContext } from '../../context.ts';
import { parseDuration } from '../../durations.ts';
import { ERRORS, invalid } from '../../errors.ts';
import { hashPassword, validatePassword } from '../../passwords.ts';
import { audit } from '../../repository/audit.ts';
import { findIdentities, upsertIdentity } from '../../repository/identities.ts';
import { deleteTokens } from '../../repository/one-time-tokens.ts';
import { deleteUserSessions } from '../../repository/sessions.ts';
import { findUserByEmail, isPhoneTaken, NIL_UUID, type UserChange, type UserRow } from '../../repository/users.ts';
import { adminRoute } from '../../route.ts';
import { userJson } from '../../user-json.ts';
import { lockExistingUser, parseUserId } from './users.ts';

/** The fields of an account that an administrator may set. */
const AdminBody = z.object({
  id: Text,
  email: Text,
  phone: Text,
  password: z.string().nullish(),
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
// The longest duration that upstream can represent.
const MAX_BAN_MS = 290 * 365 * 24 * 3_600_000;

function parseNewId(body: AdminBody): { id?: string } {
  if (body.id === '') return {};
  if (!Uuid.safeParse(body.id).success) throw invalid('ID must conform to the uuid v4 format');
  if (body.id === NIL_UUID) throw invalid('ID cannot be a nil uuid');
  return { id: body.id };
}

const MAX_ROLE_LENGTH = 255;

/** Throws AuthError where the role is longer than its column. */
function parseRole({ role }: AdminBody): { role?: string } {
  if (role.length > MAX_ROLE_LENGTH) throw invalid('role is too long');
  return role === '' ? {} : { role };
}

/** The hash to store, where a password or a hash is given. Throws AuthError. */
async function hashGivenPassword({ password, password_hash: hash }: AdminBody, context: AuthContext) {
  if (password != null && hash !== '') throw invalid('Only a password or a password hash should be provided');
  if (hash !== '') return validateHash(hash);
  if (password == null) return undefined;
  await validatePassword(password, context);
  return hashPassword(password);
}

function validateHash(hash: string): string {
  try {
    parseOptions(hash);
    return hash;
  } catch {
    throw invalid('Invalid password hash: bcrypt is expected');
  }
}

/** Returns `banned_until`; undefined where the request does not change it. Throws AuthError. */
function parseBan(body: AdminBody, now: number): Date | null | undefined {
  if (body.ban_duration === '') return undefined;
  if (body.ban_duration === 'none') return null;
  const length = parseDuration(body.ban_duration);
  if (length !== undefined && length <= MAX_BAN_MS) return new Date(now + length);
  throw invalid(`invalid format for ban duration: ${body.ban_duration}`);
}

/** POST /admin/users: an account made by an administrator; no mail is sent. */
export const createUser = adminRoute({ method: 'POST', url: '/admin/users', body: AdminBody }, async (input) => {
  const { context, body, at, device } = input;
  if (body.email === '' && body.phone === '') throw invalid('Cannot create a user without either an email or phone');
  const contact = {
    ...(body.email === '' ? {} : { email: parseEmail(body.email) }),
    ...(body.phone === '' ? {} : { phone: parsePhone(body.phone) }),
  };
  // An account may be created without a password, but an existing password cannot become empty.
  const password = body.password === '' ? null : body.password;
  const passwordHash = await hashGivenPassword({ ...body, password }, context);
  const banned_until = parseBan(body, context.now());
  return context.database.asOwner(async (tx) => {
    await refuseTaken(tx, contact);
    let user = await createAccount(tx, {
      ...parseNewId(body),
      ...contact,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...parseRole(body),
      data: body.user_metadata,
      appMetadata: body.app_metadata,
      at,
    });
    if (banned_until !== undefined) user = await changeAccount(tx, user.id, { banned_until }, at);
    user = await confirmContacts(tx, user, body, at);
    await audit(tx, { action: 'user_signedup', actorId: undefined, userId: user.id, address: device.address, at });
    return userJson(user, await findIdentities(tx, [user.id]));
  });
});

async function refuseTaken(tx: Tx, contact: { email?: string; phone?: string }): Promise<void> {
  if (contact.email !== undefined && (await findUserByEmail(tx, contact.email)) !== undefined) {
    throw ERRORS.emailExists();
  }
  if (contact.phone !== undefined && (await isPhoneTaken(tx, contact.phone))) throw ERRORS.phoneRegistered();
}

async function confirmContacts(tx: Tx, user: UserRow, body: AdminBody, at: Date): Promise<UserRow> {
  const mailed = body.email_confirm && user.email !== null ? await confirmEmail(tx, user, at) : user;
  return body.phone_confirm && user.phone !== null ? confirmPhone(tx, mailed, at) : mailed;
}

/** PUT /admin/users/:id: takes effect at once and without any confirmation. A new password ends every session. */
export const updateUser = adminRoute({ method: 'PUT', url: '/admin/users/:id', body: AdminBody }, async (input) => {
  const { context, body, request, at, device } = input;
  const id = parseUserId(request);
  const passwordHash = await hashGivenPassword(body, context);
  const banned = parseBan(body, context.now());
  return context.database.asOwner(async (tx) => {
    const before = await lockExistingUser(tx, id);
    const ban = banned === undefined ? {} : { banned_until: banned };
    const changed = await changeAccount(tx, id, { ...buildChange(body, before, passwordHash), ...ban }, at);
    await updateIdentities(tx, changed, body, at);
    const user = await confirmContacts(tx, changed, body, at);
    if (passwordHash !== undefined) {
      await deleteTokens(tx, id);
      await deleteUserSessions(tx, id, undefined);
    }
    await audit(tx, { action: 'user_modified', actorId: undefined, userId: id, address: device.address, at });
    return userJson(user, await findIdentities(tx, [id]));
  });
});

function buildChange(body: AdminBody, before: UserRow, passwordHash: string | undefined): UserChange {
  return {
    ...(body.email === '' ? {} : { email: parseEmail(body.email) }),
    ...(body.phone === '' ? {} : { phone: parsePhone(body.phone) }),
    ...parseRole(body),
    ...(passwordHash === undefined ? {} : { encrypted_password: passwordHash }),
    raw_user_meta_data: mergeMetadata(before.raw_user_meta_data, body.user_metadata),
    raw_app_meta_data: mergeMetadata(before.raw_app_meta_data, body.app_metadata),
  };
}

/** As upstream, an address or number that is given counts as verified only with its flag, also where it is the same. */
async function updateIdentities(tx: Tx, user: UserRow, body: AdminBody, at: Date): Promise<void> {
  const { id: userId, email, phone } = user;
  if (body.email !== '') {
    const data = { email, email_verified: body.email_confirm };
    await upsertIdentity(tx, { provider: 'email', userId, data, at });
  }
  if (body.phone !== '') {
    const data = { phone, phone_verified: body.phone_confirm };
    await upsertIdentity(tx, { provider: 'phone', userId, data, at });
  }
}
