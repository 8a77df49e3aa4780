import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { Flag, readQuery, Text } from '../body.ts';
import { AuthError, badJson, invalid } from '../errors.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../auth-code.ts';
import { insertFlow } from '../repository/flows.ts';
import {
  findSsoProvider,
  findSsoProviderByDomain,
  insertRelayState,
  type SsoProviderRow,
} from '../repository/sso-providers.ts';
import { publicRoute, type RequestContext } from '../route.ts';
import { parseMetadata } from '../saml/metadata.ts';
import { newRequestId, buildOwnMetadata, requireSaml, buildSignOnUrl } from '../saml/service-provider.ts';

const Body = z.object({
  provider_id: Text,
  domain: Text,
  redirect_to: Text,
  skip_http_redirect: Flag,
  ...CodeChallengeFields,
});
type Body = z.infer<typeof Body>;

const Uuid = z.guid();
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** POST /sso: to the identity provider of a company, found by its id or by the domain of an e-mail address. */
export const sso = publicRoute(
  { method: 'POST', url: '/sso', limit: 'sso', captcha: 'asked', body: Body },
  async (input) => {
    const { context, body, reply } = input;
    requireSaml(context);
    const challenge = parseCodeChallenge(body);
    const provider = await context.database.asOwner((tx) => findProvider(tx, body));
    if (provider.disabled === true) {
      throw new AuthError(404, 'sso_provider_disabled', 'SSO Provider is currently disabled');
    }
    const requestId = newRequestId();
    const relayState = await context.database.asOwner((tx) =>
      storeRequest(tx, input, provider, { requestId, challenge }),
    );
    const nameIdFormat = provider.name_id_format ?? undefined;
    const idp = await parseMetadata(provider.metadata_xml);
    const url = await buildSignOnUrl(context, requestId, { idp, nameIdFormat, relayState });
    return body.skip_http_redirect ? { url } : reply.redirect(url, 303);
  },
);

async function findProvider(tx: Tx, { provider_id, domain }: Body): Promise<SsoProviderRow> {
  const byId = provider_id !== '' && provider_id !== NO_UUID;
  if (byId && domain !== '') throw invalid('Only one of provider_id or domain supported');
  if (!byId && domain === '') throw invalid('A provider_id or domain needs to be provided');
  if (byId && !Uuid.safeParse(provider_id).success) throw badJson('provider_id: Invalid UUID');
  const provider = await (byId ? findSsoProvider(tx, provider_id) : findSsoProviderByDomain(tx, domain));
  if (provider !== undefined) return provider;
  const why = byId ? 'No such SSO provider' : 'No SSO provider assigned for this domain';
  throw new AuthError(404, 'sso_provider_not_found', why);
}

async function storeRequest(
  tx: Tx,
  { body, at }: RequestContext<Body>,
  provider: SsoProviderRow,
  { requestId, challenge }: Readonly<{ requestId: string; challenge: ReturnType<typeof parseCodeChallenge> }>,
): Promise<string> {
  const flow = { method: 'sso/saml', provider: 'sso/saml', challenge, referrer: body.redirect_to, at } as const;
  const flowStateId = await insertFlow(tx, flow);
  const redirectTo = body.redirect_to;
  return insertRelayState(tx, { ssoProviderId: provider.id, requestId, redirectTo, flowStateId, at });
}

/** GET /sso/saml/metadata: this service's metadata for identity providers; `?download=true` as a file. */
export const samlMetadata = publicRoute({ method: 'GET', url: '/sso/saml/metadata' }, async (input) => {
  const { context, request, reply } = input;
  requireSaml(context);
  const xml = await buildOwnMetadata(context);
  // During a key change identity providers should fetch both keys soon.
  const seconds = context.auth.saml.private_key_next === undefined ? 600 : 60;
  void reply.type('application/xml').header('cache-control', `public, max-age=${seconds}`);
  if (readQuery(request, 'download') === 'true') {
    void reply.header('content-disposition', 'attachment; filename="metadata.xml"');
  }
  return reply.send(xml);
});
