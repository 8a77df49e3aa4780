import type { FastifyRequest } from 'fastify';
import type { Tx } from '../../../database/index.ts';
import { adminCall } from '../../call.ts';
import { FAULTS } from '../../errors.ts';
import { METHODS } from '../../factors/settle.ts';
import { audit } from '../../records/audit.ts';
import { deleteFactor, lowerSessions } from '../../records/factors.ts';
import { findUserById, type UserRow } from '../../records/users.ts';
import { factorJson } from '../../user-json.ts';
import { factorOf } from '../factors/factor-call.ts';
import { userIdOf } from './fields.ts';

export const FACTORS_URL = '/admin/users/:id/factors';

/** GET /admin/users/:id/factors */
export const listFactors = adminCall({ method: 'GET', url: FACTORS_URL }, ({ context, request }) =>
  context.database.asOwner(async (tx) => (await userOf(tx, request)).factors.map(factorJson)),
);

/** DELETE /admin/users/:id/factors/:factor_id: for somebody who has lost it. Answers the factor that was. */
export const removeFactor = adminCall({ method: 'DELETE', url: `${FACTORS_URL}/:factor_id` }, (ask) => {
  const { context, request, device, at } = ask;
  return context.database.asOwner(async (tx) => {
    const user = await userOf(tx, request);
    const factor = await factorOf(tx, request, user.id);
    await lowerSessions(tx, factor.id, METHODS[factor.factor_type]);
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    const entry = { action: 'factor_deleted', actorId: undefined, userId: user.id, traits, at } as const;
    await audit(tx, { ...entry, address: device.address });
    return user.factors.filter(({ id }) => id === factor.id).map(factorJson)[0];
  });
});

/** The user of the path. Throws AuthError 404. */
export async function userOf(tx: Tx, request: FastifyRequest): Promise<UserRow> {
  const user = await findUserById(tx, userIdOf(request));
  if (user === undefined) throw FAULTS.userNotFound();
  return user;
}
