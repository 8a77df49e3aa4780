import { parseOptions } from '@node-rs/bcrypt';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Data, Flag, Text } from '../../body.ts';
import type { AuthContext } from '../../context.ts';
import { durationMs } from '../../durations.ts';
import { AuthError, FAULTS, invalid } from '../../errors.ts';
import { checkPassword, hashPassword } from '../../passwords.ts';
import { lockUser, type UserRow } from '../../records/users.ts';
import type { Tx } from '../../../database/index.ts';

/** What an administrator may set on an account. */
export const AdminBody = z.object({
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
export type AdminBody = z.infer<typeof AdminBody>;

const Uuid = z.guid();
// As far as upstream's own durations reach.
const LONGEST_BAN_MS = 290 * 365 * 24 * 3_600_000;

/** The user of `/admin/users/:id`. Throws AuthError 404. */
export function userIdOf(request: FastifyRequest): string {
  const id = z.object({ id: Uuid }).safeParse(request.params).data?.id;
  if (id === undefined) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  return id;
}

export async function lockExisting(tx: Tx, id: string): Promise<UserRow> {
  const user = await lockUser(tx, id);
  if (user === undefined) throw FAULTS.userNotFound();
  return user;
}

export function newId(body: AdminBody): { id?: string } {
  if (body.id === '') return {};
  if (!Uuid.safeParse(body.id).success) throw invalid('ID must conform to the uuid v4 format');
  return { id: body.id };
}

const LONGEST_ROLE = 255;

/** Throws AuthError where the database has no room for it. */
export function roleOf({ role }: AdminBody): { role?: string } {
  if (role.length > LONGEST_ROLE) throw invalid('role is too long');
  return role === '' ? {} : { role };
}

/** The hash to store, where a password or a hash is given. Throws AuthError. */
export async function passwordHashOf(body: AdminBody, context: AuthContext): Promise<string | undefined> {
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
export function bannedUntil(body: AdminBody, now: number): Date | null | undefined {
  if (body.ban_duration === '') return undefined;
  if (body.ban_duration === 'none') return null;
  const length = durationMs(body.ban_duration);
  if (length === undefined || length > LONGEST_BAN_MS) {
    throw invalid(`invalid format for ban duration: ${body.ban_duration}`);
  }
  return new Date(now + length);
}
