import type { Tx } from '../../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, merged } from '../../accounts.ts';
import { validEmail, validPhone } from '../../addresses.ts';
import { adminCall } from '../../call.ts';
import { audit } from '../../records/audit.ts';
import { identitiesOf, putIdentity } from '../../records/identities.ts';
import { deleteTokens } from '../../records/one-time-tokens.ts';
import { deleteSessionsOf } from '../../records/sessions.ts';
import type { UserChange, UserRow } from '../../records/users.ts';
import { userJson } from '../../user-json.ts';
import { AdminBody, bannedUntil, lockExisting, passwordHashOf, roleOf, userIdOf } from './fields.ts';

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
    const user = await confirm(tx, await changeAccount(tx, id, change, at), before, body, at);
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

async function confirm(tx: Tx, user: UserRow, before: UserRow, body: AdminBody, at: Date): Promise<UserRow> {
  if (user.email !== before.email) {
    await putIdentity(tx, { provider: 'email', userId: user.id, data: { email: user.email }, at });
  }
  if (user.phone !== before.phone) {
    await putIdentity(tx, { provider: 'phone', userId: user.id, data: { phone: user.phone }, at });
  }
  const mailed = body.email_confirm && user.email !== null ? await confirmEmail(tx, user, at) : user;
  return body.phone_confirm && user.phone !== null ? confirmPhone(tx, mailed, at) : mailed;
}
