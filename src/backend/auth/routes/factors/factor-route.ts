import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import type { SignedIn } from '../../authenticate.ts';
import { FAULTS } from '../../errors.ts';
import { FACTOR_FAULTS } from '../../factors/errors.ts';
import { findFactor, type FactorRow } from '../../repository/factors.ts';
import type { SessionRow } from '../../repository/sessions.ts';
import type { UserRow } from '../../repository/users.ts';
import { userCall, type Ask, type Call, type CallSpec } from '../../route.ts';

/** Whose second factors a call is about, and the session it may lift. */
export type Owner = Readonly<{ user: UserRow; session: SessionRow }>;

/** For whoever sends the access token of a session; not for anonymous users, who have nothing to protect. */
export function factorCall<Body = undefined>(
  spec: CallSpec<Body>,
  run: (ask: Ask<Body>, owner: Owner) => Promise<unknown>,
): Call {
  return userCall(spec, (ask, me) => run(ask, ownerOf(me)));
}

function ownerOf({ user, session }: SignedIn): Owner {
  if (user.is_anonymous) throw FACTOR_FAULTS.anonymous();
  if (session === undefined) throw FAULTS.sessionGone();
  return { user, session };
}

/** The factor of `/factors/:factor_id`, where it is the user's. Throws AuthError 404. */
export async function factorOf(tx: Tx, request: FastifyRequest, userId: string): Promise<FactorRow> {
  const id = z.object({ factor_id: z.guid() }).safeParse(request.params).data?.factor_id;
  if (id === undefined) throw FACTOR_FAULTS.badId();
  const factor = await findFactor(tx, userId, id);
  if (factor === undefined) throw FACTOR_FAULTS.notFound();
  return factor;
}
