import { z } from 'zod';
import { getErrorCode } from '#lib/error-code.ts';
import { validPhone } from '../../addresses.ts';
import { Text } from '../../body.ts';
import { adminCall } from '../../call.ts';
import { invalid } from '../../errors.ts';
import { FACTOR_FAULTS, LONGEST_NAME, nameTaken } from '../../factors/faults.ts';
import { audit } from '../../records/audit.ts';
import { updateFactor as changeFactor, type FactorChange, type FactorRow } from '../../records/factors.ts';
import { factorJson } from '../../user-json.ts';
import { factorOf } from '../factors/factor-call.ts';
import { FACTORS_URL, userOf } from './factors.ts';

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
