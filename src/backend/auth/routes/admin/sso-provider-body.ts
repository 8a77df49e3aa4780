import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { Text } from '../../body.ts';
import { AuthError, invalid } from '../../errors.ts';
import {
  findSsoProvider,
  findSsoProviderByDomain,
  findSsoProviderByResource,
  type SsoProviderRow,
} from '../../repository/sso-providers.ts';
import type { RequestContext } from '../../route.ts';
import { AttributeMapping } from '../../saml/attributes.ts';
import { fetchMetadata, parseMetadata, type FetchedMetadata } from '../../saml/metadata.ts';

/** The fields of an identity provider that an administrator may set; undefined means no change. */
export const SsoBody = z.object({
  type: Text,
  metadata_url: Text,
  metadata_xml: Text,
  domains: z.array(z.string()).nullish(),
  attribute_mapping: AttributeMapping.nullish(),
  name_id_format: Text,
  resource_id: z.string().nullish(),
  disabled: z.boolean().nullish(),
});
export type SsoBody = z.infer<typeof SsoBody>;

/** As long as a name in an index can be. */
const MAX_LENGTH = 255;

const FORMATS = [
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
];

/** Throws AuthError. */
export function validateSsoBody(body: SsoBody): void {
  if (body.metadata_url !== '' && body.metadata_xml !== '') {
    throw invalid('Only one of metadata_xml or metadata_url needs to be set');
  }
  if (body.metadata_url !== '' && !URL.canParse(body.metadata_url)) throw invalid('metadata_url is not a valid URL');
  if (body.name_id_format !== '' && !FORMATS.includes(body.name_id_format)) {
    throw invalid(`name_id_format must be unspecified or one of ${FORMATS.join(', ')}`);
  }
  if (body.domains?.some((domain) => domain.trim() === '') === true) throw invalid('A domain must not be empty');
  if (body.domains?.some((domain) => domain.length > MAX_LENGTH) === true) throw invalid('A domain is too long');
  if ((body.resource_id ?? '').length > MAX_LENGTH) throw invalid('resource_id is too long');
}

/** Throws AuthError; plain http only where the operator listed the host. */
export async function readMetadata({ context, body }: RequestContext<SsoBody>): Promise<FetchedMetadata> {
  const { metadata_url: url, metadata_xml: xml } = body;
  if (url === '') return { xml, metadata: await parseMetadata(xml) };
  const { protocol, host, hostname } = new URL(url);
  const isListed = context.auth.internal_hosts.some((listed) => listed === host || listed === hostname);
  if (protocol !== 'https:' && !isListed) throw invalid('metadata_url is not a HTTPS URL');
  return fetchMetadata(context, url);
}

/** Returns the domains without duplicates. Throws AuthError where another provider has one of them. */
export async function requireFreeDomains(tx: Tx, domains: readonly string[], ownId?: string): Promise<string[]> {
  const wanted = [...new Set(domains.map((domain) => domain.trim().toLowerCase()))];
  for (const domain of wanted) {
    const owner = await findSsoProviderByDomain(tx, domain);
    if (owner === undefined || owner.id === ownId) continue;
    const why = `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner.id})`;
    throw new AuthError(400, 'sso_domain_already_exists', why);
  }
  return wanted;
}

const Params = z.object({ idp_id: z.string() });
const Uuid = z.guid();
const RESOURCE = 'resource_';

/** The provider of `/admin/sso/providers/:idp_id`: its id, or `resource_` and its resource id. Throws AuthError 404. */
export async function findPathProvider(tx: Tx, { request }: RequestContext<unknown>): Promise<SsoProviderRow> {
  const id = Params.safeParse(request.params).data?.idp_id ?? '';
  const byResource = id.startsWith(RESOURCE) && !id.includes('\0');
  const byId = Uuid.safeParse(id).success;
  const found = byResource
    ? await findSsoProviderByResource(tx, id.slice(RESOURCE.length))
    : byId && (await findSsoProvider(tx, id));
  if (found === undefined || found === false) {
    throw new AuthError(404, 'sso_provider_not_found', 'SSO Identity Provider not found');
  }
  return found;
}

/** The provider object of all answers. */
export function ssoJson(provider: SsoProviderRow): Record<string, unknown> {
  const { id, resource_id, disabled, domains, created_at, updated_at } = provider;
  return {
    id,
    ...(resource_id === null ? {} : { resource_id }),
    disabled,
    saml: {
      entity_id: provider.entity_id,
      ...(provider.metadata_xml === '' ? {} : { metadata_xml: provider.metadata_xml }),
      ...(provider.metadata_url === null ? {} : { metadata_url: provider.metadata_url }),
      attribute_mapping: provider.attribute_mapping ?? {},
      ...(provider.name_id_format === null ? {} : { name_id_format: provider.name_id_format }),
    },
    domains: domains.map((domain) => ({ domain })),
    created_at,
    updated_at,
  };
}
