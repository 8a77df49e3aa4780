import type { Tx } from '../../../database/index.ts';
import { confirmEmail, confirmPhone, createAccount, changeAccount } from '../../accounts.ts';
import { validEmail, validPhone } from '../../addresses.ts';
import { adminCall } from '../../call.ts';
import { FAULTS, invalid } from '../../errors.ts';
import { audit } from '../../records/audit.ts';
import { identitiesOf } from '../../records/identities.ts';
import { findUserByEmail, phoneIsTaken, type UserRow } from '../../records/users.ts';
import { userJson } from '../../user-json.ts';
import { AdminBody, bannedUntil, newId, passwordHashOf, roleOf } from './fields.ts';

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
    user = await confirm(tx, user, body, at);
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

async function confirm(tx: Tx, user: UserRow, body: AdminBody, at: Date): Promise<UserRow> {
  const mailed = body.email_confirm && user.email !== null ? await confirmEmail(tx, user, at) : user;
  return body.phone_confirm && user.phone !== null ? confirmPhone(tx, mailed, at) : mailed;
}
