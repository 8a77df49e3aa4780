import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../../database/index.ts';
import { AUDIENCE } from '../../accounts.ts';
import { Flag, readQuery } from '../../body.ts';
import { AuthError, ERRORS, invalid } from '../../errors.ts';
import { audit } from '../../repository/audit.ts';
import { deleteUserFactors } from '../../repository/factors.ts';
import { deleteIdentities, findIdentities } from '../../repository/identities.ts';
import { deleteTokens } from '../../repository/one-time-tokens.ts';
import { deleteUserSessions } from '../../repository/sessions.ts';
import {
  deleteUser as removeRow,
  findAnyUser,
  listUsers as readUsers,
  lockUser,
  updateUser,
  type UserRow,
} from '../../repository/users.ts';
import { adminRoute } from '../../route.ts';
import { userJson } from '../../user-json.ts';

const DEFAULT_SIZE = 50;
/** Ours: no other limit bounds the bytes of this answer, since each user may have a megabyte of metadata. */
const MAX_SIZE = 1_000;
const SORTABLE = new Set(['created_at', 'updated_at', 'email', 'last_sign_in_at', 'id']);

/** GET /admin/users?page&per_page&filter&sort: one page, with `x-total-count` and `link`. */
export const listUsers = adminRoute({ method: 'GET', url: '/admin/users' }, async ({ context, request, reply }) => {
  const page = parsePositive(readQuery(request, 'page'), 1);
  const size = Math.min(MAX_SIZE, parsePositive(readQuery(request, 'per_page'), DEFAULT_SIZE));
  const filter = readQuery(request, 'filter');
  const order = parseOrder(readQuery(request, 'sort'));
  const found = await context.database.asOwner(async (tx) => {
    const { users, total } = await readUsers(tx, { filter, order, limit: size, offset: (page - 1) * size });
    const identities = await findIdentities(
      tx,
      users.map(({ id }) => id),
    );
    return { users: users.map((user) => userJson(user, identities)), total };
  });
  const pages = { page, last: Math.ceil(found.total / size) };
  return reply
    .header('x-total-count', String(found.total))
    .header('link', formatLinks(`${context.externalUrl}/admin/users`, request.url, pages))
    .send({ users: found.users, aud: AUDIENCE });
});

/** Repeats the query, sorted as upstream does: the official client, which sends no filter, reads the first value. */
function formatLinks(url: string, asked: string, { page, last }: Readonly<{ page: number; last: number }>): string {
  const query = new URL(asked, 'http://localhost').searchParams;
  const link = (to: number, rel: string): string => {
    query.set('page', String(to));
    query.sort();
    return `<${url}?${query.toString()}>; rel="${rel}"`;
  };
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}

function parsePositive(text: string, fallback: number): number {
  if (text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid(`Bad Pagination Parameters: ${text}`);
  return Number(text);
}

/** Parses `created_at desc, email` with known columns only; the default is newest first. */
function parseOrder(sort: string): string {
  if (sort === '') return 'created_at desc, id';
  const parts = sort.split(',').map((part) => {
    const [column = '', direction = 'desc', more] = part.trim().split(/\s+/);
    const known = SORTABLE.has(column) && /^(asc|desc)$/i.test(direction) && more === undefined;
    if (!known) throw invalid(`Bad Sort Parameters: ${sort}`);
    return `${column} ${direction}`;
  });
  return [...parts, 'id'].join(', ');
}

/** GET /admin/users/:id */
export const getUser = adminRoute({ method: 'GET', url: '/admin/users/:id' }, ({ context, request }) => {
  const id = parseUserId(request);
  return context.database.asOwner(async (tx) => {
    const user = await findAnyUser(tx, id);
    if (user === undefined) throw ERRORS.userNotFound();
    return userJson(user, await findIdentities(tx, [id]));
  });
});

const Body = z.object({ should_soft_delete: Flag });
const spec = { method: 'DELETE', url: '/admin/users/:id', body: Body, presence: 'optional' } as const;

/** DELETE /admin/users/:id; a soft delete keeps the row for references, without personal data. */
export const deleteUser = adminRoute(spec, async (input) => {
  const { context, request, body, at, device } = input;
  const id = parseUserId(request);
  await context.database.asOwner(async (tx) => {
    const user = (await lockUser(tx, id)) ?? (await findAnyUser(tx, id));
    if (user === undefined) throw ERRORS.userNotFound();
    await audit(tx, { action: 'user_deleted', actorId: undefined, userId: id, address: device.address, at });
    await (body.should_soft_delete ? softDelete(tx, user, at) : removeRow(tx, id).catch(refuseReferenced));
  });
  return {};
});

async function softDelete(tx: Tx, user: UserRow, at: Date): Promise<void> {
  if (user.deleted_at !== null) return;
  await deleteUserSessions(tx, user.id, undefined);
  await deleteTokens(tx, user.id);
  await deleteIdentities(tx, user.id);
  await deleteUserFactors(tx, user.id);
  const change = {
    email: hashContact(user.id, user.email),
    phone: hashContact(user.id, user.phone),
    email_change: null,
    phone_change: null,
    encrypted_password: null,
    raw_user_meta_data: {},
    raw_app_meta_data: {},
    deleted_at: at,
  };
  await updateUser(tx, user.id, change, at);
}

function hashContact(id: string, value: string | null): string | null {
  return value === null ? null : createHash('sha256').update(`${id}${value}`).digest('base64url');
}

const FOREIGN_KEY_VIOLATION = '23503';

function refuseReferenced(error: unknown): never {
  if (getErrorCode(error) === FOREIGN_KEY_VIOLATION) {
    throw new AuthError(409, 'conflict', 'Other records still refer to this user');
  }
  throw error;
}

/** The user of `/admin/users/:id`. Throws AuthError 404. */
export function parseUserId(request: FastifyRequest): string {
  const id = z.object({ id: z.guid() }).safeParse(request.params).data?.id;
  if (id === undefined) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  return id;
}

/** Locks a user who is not deleted. Throws AuthError 404. */
export async function lockExistingUser(tx: Tx, id: string): Promise<UserRow> {
  const user = await lockUser(tx, id);
  if (user === undefined) throw ERRORS.userNotFound();
  return user;
}
