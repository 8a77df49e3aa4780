import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getTakenConstraint, type Tx } from '../../../database/index.ts';
import { parsePhone } from '../../addresses.ts';
import { Text } from '../../body.ts';
import { ERRORS, invalid } from '../../errors.ts';
import { FACTOR_ERRORS, MAX_NAME_LENGTH, nameTaken } from '../../factors/rules.ts';
import { AMR_METHODS } from '../../factors/verify-factor.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteFactor,
  lowerSessionsToAal1,
  updateFactor as changeFactor,
  type FactorChange,
  type FactorRow,
} from '../../repository/factors.ts';
import { findAnyUser, lockUser, type UserRow } from '../../repository/users.ts';
import { adminRoute, findPathFactor } from '../../route.ts';
import { factorJson } from '../../user-json.ts';
import { parseUserId } from './users.ts';

const FACTORS_URL = '/admin/users/:id/factors';

/** GET /admin/users/:id/factors */
export const listFactors = adminRoute({ method: 'GET', url: FACTORS_URL }, ({ context, request }) =>
  context.database.asOwner(async (tx) => (await findPathUser(tx, request)).factors.map(factorJson)),
);

/** DELETE /admin/users/:id/factors/:factor_id: removes a lost factor and answers it. */
export const removeFactor = adminRoute({ method: 'DELETE', url: `${FACTORS_URL}/:factor_id` }, (input) => {
  const { context, request, device, at } = input;
  return context.database.asOwner(async (tx) => {
    // A verification that runs has upgraded its session then, which is lowered, too.
    await lockUser(tx, parseUserId(request));
    const user = await findPathUser(tx, request);
    const factor = await findPathFactor(tx, request, user.id);
    await lowerSessionsToAal1(tx, factor.id, AMR_METHODS[factor.factor_type]);
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    const entry = { action: 'factor_deleted', actorId: undefined, userId: user.id, traits, at } as const;
    await audit(tx, { ...entry, address: device.address });
    return user.factors.filter(({ id }) => id === factor.id).map(factorJson)[0];
  });
});

/** The user of the path. Throws AuthError 404. */
async function findPathUser(tx: Tx, request: FastifyRequest): Promise<UserRow> {
  const user = await findAnyUser(tx, parseUserId(request));
  if (user === undefined) throw ERRORS.userNotFound();
  return user;
}

const Body = z.object({ friendly_name: Text, phone: Text });
type Body = z.infer<typeof Body>;
const spec = { method: 'PUT', url: `${FACTORS_URL}/:factor_id`, body: Body } as const;

/** PUT /admin/users/:id/factors/:factor_id: another name, or another number of a phone. */
export const updateFactor = adminRoute(spec, async (input) => {
  const { context, request, body, device, at } = input;
  if (body.friendly_name.length > MAX_NAME_LENGTH) throw invalid('friendly_name is too long');
  const change = context.database.asOwner(async (tx) => {
    const { id: userId } = await findPathUser(tx, request);
    const factor = await findPathFactor(tx, request, userId);
    await changeFactor(tx, factor.id, buildChange(body, factor), at);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await audit(tx, { action: 'factor_updated', actorId: undefined, userId, address: device.address, traits, at });
    const { factors } = await findPathUser(tx, request);
    return factors.filter(({ id }) => id === factor.id).map(factorJson)[0];
  });
  return change.catch((error: unknown) => throwDuplicate(error, body));
});

function buildChange({ friendly_name, phone }: Body, { factor_type }: FactorRow): FactorChange {
  return {
    ...(friendly_name === '' ? {} : { friendly_name }),
    ...(phone === '' || factor_type !== 'phone' ? {} : { phone: parsePhone(phone) }),
  };
}

function throwDuplicate(error: unknown, { friendly_name }: Body): never {
  const constraint = getTakenConstraint(error);
  if (constraint === undefined) throw error;
  throw constraint.includes('phone') ? FACTOR_ERRORS.phoneVerified() : nameTaken(friendly_name);
}
