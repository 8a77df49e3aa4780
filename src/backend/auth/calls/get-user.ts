import { userCall } from '../call.ts';
import { identitiesOf } from '../records/identities.ts';
import { userJson } from '../user-json.ts';

/** GET /user: whom the access token names. */
export const getUser = userCall({ method: 'GET', url: '/user' }, async ({ context }, me) => {
  const identities = await context.database.asOwner((tx) => identitiesOf(tx, [me.user.id]));
  return userJson(me.user, identities);
});
