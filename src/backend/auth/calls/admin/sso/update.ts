import type { Tx } from '../../../../database/index.ts';
import { adminCall, type Ask } from '../../../call.ts';
import { AuthError } from '../../../errors.ts';
import { audit } from '../../../records/audit.ts';
import {
  findSsoProvider,
  setDomains,
  updateSsoProvider,
  type SsoProviderRow,
  type SsoProviderValues,
} from '../../../records/sso-providers.ts';
import type { Fetched } from '../../../saml/fetch-metadata.ts';
import { asConflict } from './conflict.ts';
import { checkSsoBody, freeDomains, lockNamed, metadataOf, ssoJson, SsoBody } from './fields.ts';

const spec = { method: 'PUT', url: '/admin/sso/providers/:idp_id', body: SsoBody } as const;

/** PUT /admin/sso/providers/:idp_id: what is not named stays, except `name_id_format`, which upstream takes as it is. */
export const updateSso = adminCall(spec, async (ask) => {
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
