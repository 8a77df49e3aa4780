import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import type { AttributeMapping } from '../saml/attributes.ts';
import { findRow, insertRow, updateRow } from './rows.ts';

export type SsoProviderRow = Readonly<{
  id: string;
  resource_id: string | null;
  disabled: boolean | null;
  entity_id: string;
  metadata_xml: string;
  metadata_url: string | null;
  attribute_mapping: AttributeMapping | null;
  name_id_format: string | null;
  domains: readonly string[];
  created_at: Date;
  updated_at: Date;
  /** Time of the last metadata fetch. */
  read_at: Date;
}>;

const SELECT = `select p.id, p.resource_id, p.disabled, s.entity_id, s.metadata_xml, s.metadata_url,
  s.attribute_mapping,
    s.name_id_format, p.created_at, p.updated_at, s.updated_at as read_at,
    array(select domain from auth.sso_domains d where d.sso_provider_id = p.id
      order by d.created_at, d.domain) as domains
  from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id`;

export function findSsoProvider(tx: Tx, id: string): Promise<SsoProviderRow | undefined> {
  return findRow(tx, `${SELECT} where p.id = $1`, [id]);
}

export async function lockSsoProvider(tx: Tx, id: string): Promise<void> {
  await tx.query('select from auth.sso_providers where id = $1 for update', [id]);
}

export function findSsoProviderByResource(tx: Tx, resourceId: string): Promise<SsoProviderRow | undefined> {
  return findRow(tx, `${SELECT} where lower(p.resource_id) = lower($1)`, [resourceId]);
}

export function findSsoProviderByDomain(tx: Tx, domain: string): Promise<SsoProviderRow | undefined> {
  const sql = `${SELECT} where p.id = (select sso_provider_id from auth.sso_domains where lower(domain) = lower($1))`;
  return findRow(tx, sql, [domain]);
}

export function findSsoProviderByEntity(tx: Tx, entityId: string): Promise<SsoProviderRow | undefined> {
  return findRow(tx, `${SELECT} where s.entity_id = $1`, [entityId]);
}

export async function listSsoProviders(tx: Tx, resourceId: string, prefix: string): Promise<SsoProviderRow[]> {
  const sql = `${SELECT} where ($1 = '' or p.resource_id = $1) and ($2 = '' or starts_with(p.resource_id, $2))
    order by p.created_at, p.id`;
  return (await tx.query<SsoProviderRow>(sql, [resourceId, prefix])).rows;
}

/** The columns that an administrator sets. */
export type SsoProviderValues = Pick<
  SsoProviderRow,
  'resource_id' | 'disabled' | 'entity_id' | 'metadata_xml' | 'metadata_url' | 'attribute_mapping' | 'name_id_format'
>;

export async function insertSsoProvider(tx: Tx, values: SsoProviderValues, at: Date): Promise<string> {
  const id = randomUUID();
  const { resource_id, disabled, entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format } = values;
  const times = { created_at: at, updated_at: at };
  await insertRow(tx, 'auth.sso_providers', { id, resource_id, disabled, ...times });
  await insertRow(tx, 'auth.saml_providers', {
    id: randomUUID(),
    sso_provider_id: id,
    entity_id,
    metadata_xml,
    metadata_url,
    attribute_mapping: JSON.stringify(attribute_mapping),
    name_id_format,
    ...times,
  });
  return id;
}

export async function updateSsoProvider(tx: Tx, id: string, values: SsoProviderValues, at: Date): Promise<void> {
  const { resource_id, disabled } = values;
  await updateRow(tx, 'auth.sso_providers', id, { resource_id, disabled, updated_at: at });
  await tx.query(
    `update auth.saml_providers set metadata_xml = $2, metadata_url = $3, attribute_mapping = $4, name_id_format = $5,
       updated_at = $6 where sso_provider_id = $1`,
    [id, values.metadata_xml, values.metadata_url, JSON.stringify(values.attribute_mapping), values.name_id_format, at],
  );
}

/** Stores the metadata just fetched, unless others have replaced what `provider` holds. */
export async function refreshMetadata(tx: Tx, provider: SsoProviderRow, xml: string, at: Date): Promise<void> {
  const sql = `update auth.saml_providers set metadata_xml = $2, updated_at = $3
    where sso_provider_id = $1 and metadata_xml = $4 and metadata_url = $5`;
  await tx.query(sql, [provider.id, xml, at, provider.metadata_xml, provider.metadata_url]);
}

export async function replaceDomains(tx: Tx, id: string, domains: readonly string[], at: Date): Promise<void> {
  await tx.query('delete from auth.sso_domains where sso_provider_id = $1 and not domain = any($2)', [id, domains]);
  await tx.query(
    `insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
     select gen_random_uuid(), $1, domain, $3, $3 from unnest($2::text[]) as domain
     where not exists (select from auth.sso_domains d where d.sso_provider_id = $1 and d.domain = domain.domain)`,
    [id, domains, at],
  );
}

export async function deleteSsoProvider(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.sso_providers where id = $1', [id]);
}

export type RelayStateRow = Readonly<{
  id: string;
  sso_provider_id: string;
  request_id: string;
  redirect_to: string | null;
  flow_state_id: string | null;
  created_at: Date;
}>;

type NewRelayState = Readonly<{
  ssoProviderId: string;
  requestId: string;
  redirectTo: string;
  flowStateId: string;
  at: Date;
}>;

export async function insertRelayState(tx: Tx, state: NewRelayState): Promise<string> {
  const id = randomUUID();
  await insertRow(tx, 'auth.saml_relay_states', {
    id,
    sso_provider_id: state.ssoProviderId,
    request_id: state.requestId,
    redirect_to: state.redirectTo,
    flow_state_id: state.flowStateId,
    created_at: state.at,
    updated_at: state.at,
  });
  return id;
}

/** Returns and deletes the relay state, whatever the response contains. */
export function takeRelayState(tx: Tx, id: string): Promise<RelayStateRow | undefined> {
  const sql = `delete from auth.saml_relay_states where id = $1
    returning id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at`;
  return findRow(tx, sql, [id]);
}

/** Returns false where the assertion was already used. */
export async function storeUsedAssertion(
  tx: Tx,
  { ssoProviderId, assertionId, until }: Readonly<{ ssoProviderId: string; assertionId: string; until: Date }>,
): Promise<boolean> {
  const sql = `insert into auth.saml_assertions (sso_provider_id, assertion_id, expires_at) values ($1, $2, $3)
    on conflict do nothing returning assertion_id`;
  return (await tx.query(sql, [ssoProviderId, assertionId, until])).rows.length > 0;
}
