import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import type { SignedIn } from '../../authenticate.ts';
import { ERRORS } from '../../errors.ts';
import { FACTOR_ERRORS } from '../../factors/errors.ts';
import { findFactor, type FactorRow } from '../../repository/factors.ts';
import type { SessionRow } from '../../repository/sessions.ts';
import type { UserRow } from '../../repository/users.ts';
import { userRoute, type RequestContext, type Route, type RouteSpec } from '../../route.ts';

/** The owner of the factors and the session that a factor upgrades. */
export type Owner = Readonly<{ user: UserRow; session: SessionRow }>;

/** Requires the access token of a session; anonymous users are refused, as they have no login to protect. */
export function factorRoute<Body = undefined>(
  spec: RouteSpec<Body>,
  handle: (input: RequestContext<Body>, owner: Owner) => Promise<unknown>,
): Route {
  return userRoute(spec, (input, me) => handle(input, requireOwner(me)));
}

function requireOwner({ user, session }: SignedIn): Owner {
  if (user.is_anonymous) throw FACTOR_ERRORS.anonymous();
  if (session === undefined) throw ERRORS.sessionNotFound();
  return { user, session };
}

/** The factor of `/factors/:factor_id`, where it is the user's. Throws AuthError 404. */
export async function findPathFactor(tx: Tx, request: FastifyRequest, userId: string): Promise<FactorRow> {
  const id = z.object({ factor_id: z.guid() }).safeParse(request.params).data?.factor_id;
  if (id === undefined) throw FACTOR_ERRORS.badId();
  const factor = await findFactor(tx, userId, id);
  if (factor === undefined) throw FACTOR_ERRORS.notFound();
  return factor;
}
