import { getTakenConstraint, type Tx } from '../../../database/index.ts';
import { readQuery } from '../../body.ts';
import { AuthError, invalid } from '../../errors.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteSsoProvider,
  findSsoProvider,
  findSsoProviderByEntity,
  insertSsoProvider,
  listSsoProviders,
  lockSsoProvider,
  replaceDomains,
  updateSsoProvider,
  type SsoProviderRow,
  type SsoProviderValues,
} from '../../repository/sso-providers.ts';
import { adminRoute, type RequestContext } from '../../route.ts';
import type { FetchedMetadata } from '../../saml/metadata.ts';
import {
  validateSsoBody,
  requireFreeDomains,
  findPathProvider,
  readMetadata,
  SsoBody,
  ssoJson,
} from './sso-provider-body.ts';

/** GET /admin/sso/providers?resource_id&resource_id_prefix: all of them, without their metadata. */
export const listSso = adminRoute({ method: 'GET', url: '/admin/sso/providers' }, async ({ context, request }) => {
  const [resourceId, prefix] = [readQuery(request, 'resource_id'), readQuery(request, 'resource_id_prefix')];
  const found = await context.database.asOwner((tx) => listSsoProviders(tx, resourceId, prefix));
  return { items: found.map((provider) => ssoJson({ ...provider, metadata_xml: '' })) };
});

/** GET /admin/sso/providers/:idp_id */
export const getSso = adminRoute({ method: 'GET', url: '/admin/sso/providers/:idp_id' }, (input) =>
  input.context.database.asOwner(async (tx) => ssoJson(await findPathProvider(tx, input))),
);

const CREATE = { method: 'POST', url: '/admin/sso/providers', body: SsoBody } as const;

/** POST /admin/sso/providers: a company's identity provider, by its metadata. */
export const createSso = adminRoute(CREATE, async (input) => {
  const { context, body, reply } = input;
  if (body.type !== 'saml') throw invalid(`Only 'saml' supported for SSO provider type`);
  validateSsoBody(body);
  if (body.metadata_url === '' && body.metadata_xml === '') {
    throw invalid('Either metadata_xml or metadata_url must be set');
  }
  const fetched = await readMetadata(input);
  const made = await context.database.asOwner((tx) => insertProvider(tx, input, fetched)).catch(throwConflict);
  return reply.code(201).send(made);
});

async function insertProvider(
  tx: Tx,
  input: RequestContext<SsoBody>,
  { xml, metadata }: FetchedMetadata,
): Promise<unknown> {
  const { body, at, device } = input;
  if ((await findSsoProviderByEntity(tx, metadata.entityId)) !== undefined) {
    const why = `SAML Identity Provider with this EntityID (${metadata.entityId}) already exists`;
    throw new AuthError(422, 'saml_idp_already_exists', why);
  }
  const domains = await requireFreeDomains(tx, body.domains ?? []);
  const values = {
    resource_id: body.resource_id || null,
    disabled: body.disabled ?? null,
    entity_id: metadata.entityId,
    metadata_xml: xml,
    metadata_url: body.metadata_url || null,
    attribute_mapping: body.attribute_mapping ?? {},
    name_id_format: body.name_id_format || null,
  };
  const id = await insertSsoProvider(tx, values, at);
  await replaceDomains(tx, id, domains, at);
  const traits = { sso_provider_id: id };
  await audit(tx, { action: 'sso_provider_created', actorId: undefined, address: device.address, traits, at });
  const made = await findSsoProvider(tx, id);
  return made && ssoJson(made);
}

const UPDATE = { method: 'PUT', url: '/admin/sso/providers/:idp_id', body: SsoBody } as const;

/** PUT /admin/sso/providers/:idp_id: keeps missing fields, except `name_id_format`, as upstream does. */
export const updateSso = adminRoute(UPDATE, async (input) => {
  const { context, body } = input;
  validateSsoBody(body);
  const named = await context.database.asOwner((tx) => findPathProvider(tx, input));
  const renews = body.metadata_url !== '' || body.metadata_xml !== '';
  const fetched = renews ? await readMetadata(input) : undefined;
  if (fetched !== undefined && fetched.metadata.entityId !== named.entity_id) {
    const why = `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${named.entity_id}' but got '${fetched.metadata.entityId}'`;
    throw new AuthError(400, 'saml_entity_id_mismatch', why);
  }
  const change = context.database.asOwner(async (tx) => {
    // What the request leaves out is kept as another request at the same moment has set it.
    await lockSsoProvider(tx, named.id);
    return updateProvider(tx, input, fetched);
  });
  return change.catch(throwConflict);
});

async function updateProvider(
  tx: Tx,
  input: RequestContext<SsoBody>,
  fetched: FetchedMetadata | undefined,
): Promise<unknown> {
  const { body, at, device } = input;
  const before = await findPathProvider(tx, input);
  await updateSsoProvider(tx, before.id, mergeValues(body, before, fetched), at);
  const { domains } = body;
  if (domains !== null && domains !== undefined) {
    await replaceDomains(tx, before.id, await requireFreeDomains(tx, domains, before.id), at);
  }
  const traits = { sso_provider_id: before.id };
  await audit(tx, { action: 'sso_provider_modified', actorId: undefined, address: device.address, traits, at });
  const after = await findSsoProvider(tx, before.id);
  return after && ssoJson(after);
}

function mergeValues(body: SsoBody, before: SsoProviderRow, fetched: FetchedMetadata | undefined): SsoProviderValues {
  const { keys } = body.attribute_mapping ?? {};
  return {
    resource_id: (body.resource_id ?? before.resource_id) || null,
    disabled: body.disabled ?? before.disabled,
    entity_id: before.entity_id,
    metadata_xml: fetched?.xml ?? before.metadata_xml,
    metadata_url: body.metadata_url || before.metadata_url,
    attribute_mapping: keys === undefined ? before.attribute_mapping : { keys },
    name_id_format: body.name_id_format || null,
  };
}

/** DELETE /admin/sso/providers/:idp_id: ends sign-on through the provider; accounts and sessions stay. */
export const removeSso = adminRoute({ method: 'DELETE', url: '/admin/sso/providers/:idp_id' }, (input) => {
  const { context, device, at } = input;
  return context.database.asOwner(async (tx) => {
    const provider = await findPathProvider(tx, input);
    await deleteSsoProvider(tx, provider.id);
    const traits = { sso_provider_id: provider.id };
    await audit(tx, { action: 'sso_provider_deleted', actorId: undefined, address: device.address, traits, at });
    return ssoJson(provider);
  });
});

/** Answers a unique violation: two administrators at once, or a taken resource id. */
function throwConflict(error: unknown): never {
  if (getTakenConstraint(error) === undefined) throw error;
  const why = 'Updating SSO provider failed, likely due to a conflict. Try again?';
  throw new AuthError(422, 'conflict', why);
}
