import { FACTOR_FAULTS } from '../../factors/faults.ts';
import { METHODS } from '../../factors/settle.ts';
import { audit } from '../../records/audit.ts';
import { deleteFactor, lowerSessions } from '../../records/factors.ts';
import { lockUser } from '../../records/users.ts';
import { factorCall, factorOf } from './factor-call.ts';

/** DELETE /factors/:id → {id}. Sessions that it lifted are at aal1 again with their next token. */
export const unenroll = factorCall({ method: 'DELETE', url: '/factors/:factor_id' }, (ask, { user, session }) => {
  const { context, request, device, at } = ask;
  return context.database.asOwner(async (tx) => {
    await lockUser(tx, user.id);
    const factor = await factorOf(tx, request, user.id);
    if (factor.status === 'verified' && session.aal !== 'aal2') throw FACTOR_FAULTS.unenrolNeedsAal2();
    await lowerSessions(tx, factor.id, METHODS[factor.factor_type]);
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_type: factor.factor_type };
    await audit(tx, { action: 'factor_unenrolled', actorId: user.id, address: device.address, traits, at });
    return { id: factor.id };
  });
});
