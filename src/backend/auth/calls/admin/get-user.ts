import { adminCall } from '../../call.ts';
import { FAULTS } from '../../errors.ts';
import { identitiesOf } from '../../records/identities.ts';
import { findUserById } from '../../records/users.ts';
import { userJson } from '../../user-json.ts';
import { userIdOf } from './fields.ts';

/** GET /admin/users/:id */
export const getUser = adminCall({ method: 'GET', url: '/admin/users/:id' }, ({ context, request }) => {
  const id = userIdOf(request);
  return context.database.asOwner(async (tx) => {
    const user = await findUserById(tx, id);
    if (user === undefined) throw FAULTS.userNotFound();
    return userJson(user, await identitiesOf(tx, [id]));
  });
});
