import type { AuthContext } from '../context.ts';
import { refreshMetadata, type SsoProviderRow } from '../records/sso-providers.ts';
import { fetchMetadata } from './fetch-metadata.ts';
import { parseMetadata, type IdpMetadata } from './metadata.ts';

const DAY_MS = 24 * 3_600_000;

/** The metadata of a provider; where they have an address and are old, as they are there now, if they can be had. */
export async function currentMetadata(context: AuthContext, provider: SsoProviderRow): Promise<IdpMetadata> {
  const known = await parseMetadata(provider.metadata_xml);
  const { metadata_url: url } = provider;
  if (url === null || !isStale(known, provider.read_at, context.now())) return known;
  try {
    const { xml, metadata } = await fetchMetadata(context, url);
    if (metadata.entityId !== known.entityId) throw new Error('another entity');
    await context.database.asOwner((tx) => refreshMetadata(tx, provider.id, xml, new Date(context.now())));
    return metadata;
  } catch (cause) {
    context.log.warn({ provider: provider.id, cause: String(cause) }, 'SAML metadata not refreshed');
    return known;
  }
}

/** As old as they say, or a day where they say nothing. */
export function isStale({ validUntil, cacheMs }: IdpMetadata, readAt: Date, now: number): boolean {
  if (validUntil !== undefined && now > validUntil) return true;
  if (cacheMs !== undefined) return now > readAt.getTime() + cacheMs;
  return validUntil === undefined && now > readAt.getTime() + DAY_MS;
}
