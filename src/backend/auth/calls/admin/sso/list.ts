import { queryText } from '../../../body.ts';
import { adminCall } from '../../../call.ts';
import { listSsoProviders } from '../../../records/sso-providers.ts';
import { ssoJson } from './fields.ts';

/** GET /admin/sso/providers?resource_id&resource_id_prefix: all of them, without their metadata. */
export const listSso = adminCall({ method: 'GET', url: '/admin/sso/providers' }, async ({ context, request }) => {
  const filter = { resourceId: queryText(request, 'resource_id'), prefix: queryText(request, 'resource_id_prefix') };
  const found = await context.database.asOwner((tx) => listSsoProviders(tx, filter));
  return { items: found.map((provider) => ssoJson({ ...provider, metadata_xml: '' })) };
});
