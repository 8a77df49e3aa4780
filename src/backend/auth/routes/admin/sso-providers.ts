import { getErrorCode } from '#lib/error-code.ts';
import type { Tx } from '../../../database/index.ts';
import { queryText } from '../../body.ts';
import { AuthError, invalid } from '../../errors.ts';
import { audit } from '../../repository/audit.ts';
import {
  deleteSsoProvider,
  findSsoProvider,
  findSsoProviderByEntity,
  insertSsoProvider,
  listSsoProviders,
  setDomains,
  updateSsoProvider,
  type SsoProviderRow,
  type SsoProviderValues,
} from '../../repository/sso-providers.ts';
import { adminCall, type Ask } from '../../route.ts';
import type { Fetched } from '../../saml/metadata.ts';
import { checkSsoBody, freeDomains, lockNamed, metadataOf, SsoBody, ssoJson } from './sso-provider-body.ts';

/** GET /admin/sso/providers?resource_id&resource_id_prefix: all of them, without their metadata. */
export const listSso = adminCall({ method: 'GET', url: '/admin/sso/providers' }, async ({ context, request }) => {
  const filter = { resourceId: queryText(request, 'resource_id'), prefix: queryText(request, 'resource_id_prefix') };
  const found = await context.database.asOwner((tx) => listSsoProviders(tx, filter));
  return { items: found.map((provider) => ssoJson({ ...provider, metadata_xml: '' })) };
});

/** GET /admin/sso/providers/:idp_id */
export const getSso = adminCall({ method: 'GET', url: '/admin/sso/providers/:idp_id' }, (ask) =>
  ask.context.database.asOwner(async (tx) => ssoJson(await lockNamed(tx, ask))),
);

const createSpec = { method: 'POST', url: '/admin/sso/providers', body: SsoBody } as const;

/** POST /admin/sso/providers: a company's identity provider, by its metadata. */
export const createSso = adminCall(createSpec, async (ask) => {
  const { context, body, reply } = ask;
  if (body.type !== 'saml') throw invalid(`Only 'saml' supported for SSO provider type`);
  checkSsoBody(body);
  if (body.metadata_url === '' && body.metadata_xml === '') {
    throw invalid('Either metadata_xml or metadata_url must be set');
  }
  const fetched = await metadataOf(ask);
  const made = await context.database.asOwner((tx) => insert(tx, ask, fetched)).catch(asConflict);
  return reply.code(201).send(made);
});

async function insert(tx: Tx, ask: Ask<SsoBody>, { xml, metadata }: Fetched): Promise<unknown> {
  const { body, at, device } = ask;
  if ((await findSsoProviderByEntity(tx, metadata.entityId)) !== undefined) {
    const why = `SAML Identity Provider with this EntityID (${metadata.entityId}) already exists`;
    throw new AuthError(422, 'saml_idp_already_exists', why);
  }
  const domains = await freeDomains(tx, body.domains ?? []);
  const values = {
    resource_id: body.resource_id ?? null,
    disabled: body.disabled ?? null,
    entity_id: metadata.entityId,
    metadata_xml: xml,
    metadata_url: body.metadata_url === '' ? null : body.metadata_url,
    attribute_mapping: body.attribute_mapping ?? {},
    name_id_format: body.name_id_format === '' ? null : body.name_id_format,
  };
  const id = await insertSsoProvider(
    tx,
    { ...values, resource_id: values.resource_id === '' ? null : values.resource_id },
    at,
  );
  await setDomains(tx, id, domains, at);
  const traits = { sso_provider_id: id };
  await audit(tx, { action: 'sso_provider_created', actorId: undefined, address: device.address, traits, at });
  const made = await findSsoProvider(tx, id);
  return made && ssoJson(made);
}

const updateSpec = { method: 'PUT', url: '/admin/sso/providers/:idp_id', body: SsoBody } as const;

/**
 * PUT /admin/sso/providers/:idp_id: what is not named stays, except `name_id_format`, which upstream takes as it is.
 */
export const updateSso = adminCall(updateSpec, async (ask) => {
  const { context, body } = ask;
  checkSsoBody(body);
  const named = await context.database.asOwner((tx) => lockNamed(tx, ask));
  const renews = body.metadata_url !== '' || body.metadata_xml !== '';
  const fetched = renews ? await metadataOf(ask) : undefined;
  if (fetched !== undefined && fetched.metadata.entityId !== named.entity_id) {
    const why = `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${named.entity_id}' but got '${fetched.metadata.entityId}'`;
    throw new AuthError(400, 'saml_entity_id_mismatch', why);
  }
  return context.database.asOwner((tx) => update(tx, ask, fetched)).catch(asConflict);
});

async function update(tx: Tx, ask: Ask<SsoBody>, fetched: Fetched | undefined): Promise<unknown> {
  const { body, at, device } = ask;
  const before = await lockNamed(tx, ask);
  await updateSsoProvider(tx, before.id, valuesOf(body, before, fetched), at);
  const { domains } = body;
  if (domains !== null && domains !== undefined) {
    await setDomains(tx, before.id, await freeDomains(tx, domains, before.id), at);
  }
  const traits = { sso_provider_id: before.id };
  await audit(tx, { action: 'sso_provider_modified', actorId: undefined, address: device.address, traits, at });
  const after = await findSsoProvider(tx, before.id);
  return after && ssoJson(after);
}

function valuesOf(body: SsoBody, before: SsoProviderRow, fetched: Fetched | undefined): SsoProviderValues {
  const { keys } = body.attribute_mapping ?? {};
  const resourceId = body.resource_id ?? before.resource_id;
  return {
    resource_id: resourceId === '' ? null : resourceId,
    disabled: body.disabled ?? before.disabled,
    entity_id: before.entity_id,
    metadata_xml: fetched?.xml ?? before.metadata_xml,
    metadata_url: body.metadata_url === '' ? before.metadata_url : body.metadata_url,
    attribute_mapping: keys === undefined ? before.attribute_mapping : { keys },
    name_id_format: body.name_id_format === '' ? null : body.name_id_format,
  };
}

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

const UNIQUE_VIOLATION = '23505';

/** Two administrators at once, or a resource id that is taken. */
function asConflict(error: unknown): never {
  if (getErrorCode(error) === UNIQUE_VIOLATION) {
    const why = 'Updating SSO provider failed, likely due to a conflict. Try again?';
    throw new AuthError(422, 'conflict', why);
  }
  throw error;
}
