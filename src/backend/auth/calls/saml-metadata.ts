import { queryText } from '../body.ts';
import { publicCall } from '../call.ts';
import { ownMetadata } from '../saml/party.ts';
import { requireSaml } from '../saml/require.ts';

/** GET /sso/saml/metadata: what an identity provider has to know of this service; `?download=true` as a file. */
export const samlMetadata = publicCall({ method: 'GET', url: '/sso/saml/metadata' }, async (ask) => {
  const { context, request, reply } = ask;
  requireSaml(context);
  const xml = await ownMetadata(context);
  // While one key replaces another everybody is to see both soon.
  const seconds = context.auth.saml.private_key_next === undefined ? 600 : 60;
  void reply.type('application/xml').header('cache-control', `public, max-age=${seconds}`);
  if (queryText(request, 'download') === 'true') {
    void reply.header('content-disposition', 'attachment; filename="metadata.xml"');
  }
  return reply.send(xml);
});
