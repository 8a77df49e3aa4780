import { createHash } from 'node:crypto';
import { z } from 'zod';
import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../../database/index.ts';
import { Flag } from '../../body.ts';
import { adminCall } from '../../call.ts';
import { AuthError } from '../../errors.ts';
import { audit } from '../../records/audit.ts';
import { deleteFactorsOf } from '../../records/factors.ts';
import { deleteIdentities } from '../../records/identities.ts';
import { deleteTokens } from '../../records/one-time-tokens.ts';
import { deleteSessionsOf } from '../../records/sessions.ts';
import { deleteUser as removeRow, updateUser, type UserRow } from '../../records/users.ts';
import { lockExisting, userIdOf } from './fields.ts';

const Body = z.object({ should_soft_delete: Flag });
const spec = { method: 'DELETE', url: '/admin/users/:id', body: Body, presence: 'optional' } as const;

/** DELETE /admin/users/:id; softly: the row stays for what refers to it, without anything that names a person. */
export const deleteUser = adminCall(spec, async (ask) => {
  const { context, request, body, at, device } = ask;
  const id = userIdOf(request);
  await context.database.asOwner(async (tx) => {
    const user = await lockExisting(tx, id);
    await audit(tx, { action: 'user_deleted', actorId: undefined, userId: id, address: device.address, at });
    await (body.should_soft_delete ? softDelete(tx, user, at) : removeRow(tx, id).catch(refuseReferenced));
  });
  return {};
});

async function softDelete(tx: Tx, user: UserRow, at: Date): Promise<void> {
  await deleteSessionsOf(tx, user.id, undefined);
  await deleteTokens(tx, user.id);
  await deleteIdentities(tx, user.id);
  await deleteFactorsOf(tx, user.id);
  const change = {
    email: obscured(user.id, user.email),
    phone: obscured(user.id, user.phone),
    email_change: null,
    phone_change: null,
    encrypted_password: null,
    raw_user_meta_data: {},
    raw_app_meta_data: {},
    deleted_at: at,
  };
  await updateUser(tx, user.id, change, at);
}

function obscured(id: string, value: string | null): string | null {
  return value === null ? null : createHash('sha256').update(`${id}${value}`).digest('base64url');
}

const FOREIGN_KEY_VIOLATION = '23503';

function refuseReferenced(error: unknown): never {
  if (getErrorCode(error) === FOREIGN_KEY_VIOLATION) {
    throw new AuthError(409, 'conflict', 'Other records still refer to this user');
  }
  throw error;
}
