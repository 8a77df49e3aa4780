import type { Tx } from '../../../../database/index.ts';
import { adminCall, type Ask } from '../../../call.ts';
import { AuthError, invalid } from '../../../errors.ts';
import { audit } from '../../../records/audit.ts';
import {
  findSsoProvider,
  findSsoProviderByEntity,
  insertSsoProvider,
  setDomains,
} from '../../../records/sso-providers.ts';
import type { Fetched } from '../../../saml/fetch-metadata.ts';
import { asConflict } from './conflict.ts';
import { checkSsoBody, freeDomains, metadataOf, ssoJson, SsoBody } from './fields.ts';

const spec = { method: 'POST', url: '/admin/sso/providers', body: SsoBody } as const;

/** POST /admin/sso/providers: a company's identity provider, by its metadata. */
export const createSso = adminCall(spec, async (ask) => {
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
