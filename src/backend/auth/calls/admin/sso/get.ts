import { adminCall } from '../../../call.ts';
import { lockNamed, ssoJson } from './fields.ts';

/** GET /admin/sso/providers/:idp_id */
export const getSso = adminCall({ method: 'GET', url: '/admin/sso/providers/:idp_id' }, (ask) =>
  ask.context.database.asOwner(async (tx) => ssoJson(await lockNamed(tx, ask))),
);
