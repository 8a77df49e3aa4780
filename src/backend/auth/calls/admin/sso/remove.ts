import { adminCall } from '../../../call.ts';
import { audit } from '../../../records/audit.ts';
import { deleteSsoProvider } from '../../../records/sso-providers.ts';
import { lockNamed, ssoJson } from './fields.ts';

/** DELETE /admin/sso/providers/:idp_id: nobody signs on through it any more; accounts and sessions stay. */
export const removeSso = adminCall({ method: 'DELETE', url: '/admin/sso/providers/:idp_id' }, (ask) => {
  const { context, device, at } = ask;
  return context.database.asOwner(async (tx) => {
    const provider = await lockNamed(tx, ask);
    await deleteSsoProvider(tx, provider.id);
    const traits = { sso_provider_id: provider.id };
    await audit(tx, { action: 'sso_provider_deleted', actorId: undefined, address: device.address, traits, at });
    return ssoJson(provider);
  });
});
