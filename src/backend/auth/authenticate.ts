import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getBearer, identifyCaller, type Caller } from '#http/caller.ts';
import { TokenError, type Claims } from '#http/tokens.ts';
import type { AuthContext } from './context.ts';
import { badJwt, ERRORS } from './errors.ts';
import { findSession, type SessionRow } from './repository/sessions.ts';
import { findUserById, type UserRow } from './repository/users.ts';

/** The user of an access token, and its session where the token names one. */
export type SignedIn = Readonly<{ user: UserRow; session: SessionRow | undefined }>;

const ADMIN_ROLES = new Set(['service_role', 'supabase_admin']);
const Uuid = z.guid();

/** supabase-contract §1.3. Throws AuthError. */
export async function requireUser(context: AuthContext, request: FastifyRequest): Promise<SignedIn> {
  const { claims } = await requireBearer(context, request);
  const userId = parseSubject(claims);
  const sessionId = Uuid.safeParse(claims['session_id']).data;
  const found = await context.database.asOwner(async (tx) => ({
    user: await findUserById(tx, userId),
    session: sessionId === undefined ? undefined : await findSession(tx, sessionId),
  }));
  if (found.user === undefined) throw ERRORS.subjectNotFound();
  if (isBanned(found.user, context.now())) throw ERRORS.bannedCaller();
  if (claims['session_id'] !== undefined && found.session?.user_id !== userId) throw ERRORS.sessionNotFound();
  return { user: found.user, session: found.session };
}

/** Requires a service role in the token. Throws AuthError. */
export async function requireAdmin(context: AuthContext, request: FastifyRequest): Promise<void> {
  const { role } = await requireBearer(context, request);
  if (!ADMIN_ROLES.has(role)) throw ERRORS.notAdmin();
}

export function isBanned(user: UserRow, now: number): boolean {
  return user.banned_until !== null && user.banned_until.getTime() > now;
}

async function requireBearer(context: AuthContext, request: FastifyRequest): Promise<Caller> {
  if (getBearer(request.headers) === undefined) throw ERRORS.noAuthorization();
  try {
    return await identifyCaller(request.headers, context.keys);
  } catch (error) {
    if (error instanceof TokenError) throw badJwt(error.message);
    throw error;
  }
}

function parseSubject(claims: Claims): string {
  const sub = claims['sub'];
  if (typeof sub !== 'string' || sub === '') throw ERRORS.missingSub();
  if (!Uuid.safeParse(sub).success) throw ERRORS.badSub();
  return sub;
}
