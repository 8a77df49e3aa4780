import { queryText } from '../body.ts';
import { publicCall } from '../call.ts';
import { ownMetadata } from '../saml/party.ts';
import { requireSaml } from '../saml/require.ts';

/** GET /sso/saml/metadata: what an identity provider has to know of this service; `?download=true` as a file. */
export const samlMetadata = publicCall({ method: 'GET', url: '/sso/saml/metadata' }, async (ask) => {
  const { context, request, reply } = ask;
  requireSaml(context);
  const xml = await ownMetadata(context);
  void reply.type('application/xml').header('cache-control', 'public, max-age=600');
  if (queryText(request, 'download') === 'true') {
    void reply.header('content-disposition', 'attachment; filename="metadata.xml"');
  }
  return reply.send(xml);
});
