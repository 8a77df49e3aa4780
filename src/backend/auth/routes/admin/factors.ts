import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../../database/index.ts';
import { validPhone } from '../../addresses.ts';
import { Text } from '../../body.ts';
import { FAULTS, invalid } from '../../errors.ts';
import { FACTOR_FAULTS, LONGEST_NAME, nameTaken } from '../../factors/errors.ts';
import { METHODS } from '../../factors/verify-factor.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteFactor,
  lowerSessions,
  updateFactor as changeFactor,
  type FactorChange,
  type FactorRow,
} from '../../repository/factors.ts';
import { findUserById, type UserRow } from '../../repository/users.ts';
import { adminCall } from '../../route.ts';
import { factorJson } from '../../user-json.ts';
import { factorOf } from '../factors/factor-route.ts';
import { userIdOf } from './users.ts';

const FACTORS_URL = '/admin/users/:id/factors';

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
async function userOf(tx: Tx, request: FastifyRequest): Promise<UserRow> {
  const user = await findUserById(tx, userIdOf(request));
  if (user === undefined) throw FAULTS.userNotFound();
  return user;
}

const Body = z.object({ friendly_name: Text, phone: Text });
type Body = z.infer<typeof Body>;
const spec = { method: 'PUT', url: `${FACTORS_URL}/:factor_id`, body: Body } as const;

/** PUT /admin/users/:id/factors/:factor_id: another name, or another number of a phone. */
export const updateFactor = adminCall(spec, async (ask) => {
  const { context, request, body, device, at } = ask;
  if (body.friendly_name.length > LONGEST_NAME) throw invalid('friendly_name is too long');
  const change = context.database.asOwner(async (tx) => {
    const { id: userId } = await userOf(tx, request);
    const factor = await factorOf(tx, request, userId);
    await changeFactor(tx, factor.id, changeOf(body, factor), at);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await audit(tx, { action: 'factor_updated', actorId: undefined, userId, address: device.address, traits, at });
    const { factors } = await userOf(tx, request);
    return factors.filter(({ id }) => id === factor.id).map(factorJson)[0];
  });
  return change.catch((error: unknown) => refuseDuplicate(error, body));
});

function changeOf({ friendly_name, phone }: Body, { factor_type }: FactorRow): FactorChange {
  return {
    ...(friendly_name === '' ? {} : { friendly_name }),
    ...(phone === '' || factor_type !== 'phone' ? {} : { phone: validPhone(phone) }),
  };
}

const UNIQUE_VIOLATION = '23505';

function refuseDuplicate(error: unknown, { friendly_name }: Body): never {
  if (!(error instanceof Error) || getErrorCode(error) !== UNIQUE_VIOLATION) throw error;
  const constraint = 'constraint' in error ? String(error.constraint) : '';
  throw constraint.includes('phone') ? FACTOR_FAULTS.phoneVerified() : nameTaken(friendly_name);
}
