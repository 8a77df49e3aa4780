import { z } from 'zod';
import type { AuthContext } from '../context.ts';
import { parseXmlDuration } from '../durations.ts';
import { AuthError, invalid } from '../errors.ts';
import { refreshMetadata, type SsoProviderRow } from '../repository/sso-providers.ts';
import { readXml } from './xml.ts';

/** SAML 2.0 Core §8.3.6 */
const MAX_ENTITY_ID_LENGTH = 1_024;
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

const Text = z.object({ _: z.string() });
const Certificate = z.object({ X509Data: z.array(z.object({ X509Certificate: z.array(Text) })) });
const KeyDescriptor = z.object({
  $: z.object({ use: z.string().optional() }).optional(),
  KeyInfo: z.array(z.unknown()).default([]),
});
const Service = z.object({ $: z.object({ Binding: z.string(), Location: z.url({ protocol: /^https?$/ }) }) });
const Descriptor = z.object({
  KeyDescriptor: z.array(KeyDescriptor).default([]),
  SingleSignOnService: z.array(z.unknown()).default([]),
});
const Entity = z.object({
  $: z.object({
    entityID: z.string().optional(),
    validUntil: z.string().optional(),
    cacheDuration: z.string().optional(),
  }),
  IDPSSODescriptor: z.array(Descriptor).default([]),
});
const Root = z.object({ EntityDescriptor: Entity });

/** The used part of an identity provider's metadata (SAML 2.0 Metadata). Throws AuthError that names a missing part. */
export async function parseMetadata(xml: string) {
  const root = Root.safeParse(await readXml(xml).catch(() => undefined));
  if (!root.success) throw invalid('SAML Metadata XML could not be read');
  const { $: attributes, IDPSSODescriptor: descriptors } = root.data.EntityDescriptor;
  const { entityID: entityId = '', validUntil = '', cacheDuration = '' } = attributes;
  if (entityId === '') throw invalid('SAML Metadata does not contain an EntityID');
  if (entityId.length > MAX_ENTITY_ID_LENGTH) throw invalid('SAML Metadata contains an EntityID that is too long');
  const [descriptor] = descriptors;
  if (descriptor === undefined) throw invalid('SAML Metadata does not contain any IDPSSODescriptor');
  if (descriptors.length > 1) throw invalid('SAML Metadata contains multiple IDPSSODescriptors');
  const until = Date.parse(validUntil);
  return {
    entityId,
    /** Target of requests, by redirect. */
    signOnUrl: findSignOnUrl(descriptor),
    /** Base64 of certificates, one of which signs. */
    certificates: findCertificates(descriptor),
    /** Milliseconds since 1970. */
    validUntil: Number.isNaN(until) ? undefined : until,
    cacheMs: parseXmlDuration(cacheDuration),
  };
}

export type IdpMetadata = Awaited<ReturnType<typeof parseMetadata>>;

type Descriptor = z.infer<typeof Descriptor>;

function findSignOnUrl({ SingleSignOnService: services }: Descriptor): string {
  for (const service of services) {
    const known = Service.safeParse(service).data?.$;
    if (known?.Binding === REDIRECT) return known.Location;
  }
  throw invalid('SAML Metadata does not contain a SingleSignOnService with HTTP-Redirect binding');
}

function findCertificates({ KeyDescriptor: keys }: Descriptor): string[] {
  const signing = keys.filter(({ $ }) => $?.use === undefined || $.use === 'signing');
  const found = signing
    .flatMap(({ KeyInfo }) => KeyInfo)
    .flatMap((info) => {
      const parsed = Certificate.safeParse(info);
      return parsed.success ? parsed.data.X509Data.flatMap(({ X509Certificate }) => X509Certificate) : [];
    });
  const certificates = found.map(({ _ }) => _.replaceAll(/\s+/g, ''));
  if (certificates.length === 0) throw invalid('SAML Metadata does not contain a signing certificate');
  return certificates;
}

function metadataFetchFailed(url: string, status?: number): AuthError {
  const what = status === undefined ? 'Error' : `HTTP ${status} error`;
  return new AuthError(400, 'saml_metadata_fetch_failed', `${what} fetching SAML Metadata from URL '${url}'`);
}

/** Throws the same AuthError for an unreachable and a forbidden address, so that a caller cannot probe this network. */
export async function fetchMetadata({ outbound, log }: AuthContext, url: string) {
  const headers = { accept: 'application/xml;charset=UTF-8' };
  const response = await outbound(url, { headers }).catch((cause: unknown) => {
    log.info({ cause: String(cause) }, 'SAML metadata not fetched');
    throw metadataFetchFailed(url);
  });
  if (response.status !== 200) throw metadataFetchFailed(url, response.status);
  const xml = await response.text();
  return { xml, metadata: await parseMetadata(xml) };
}

export type FetchedMetadata = Awaited<ReturnType<typeof fetchMetadata>>;

const DAY_MS = 24 * 3_600_000;

/** Returns the metadata of a provider, fetched again from their address where they are stale and reachable. */
export async function getCurrentMetadata(context: AuthContext, provider: SsoProviderRow): Promise<IdpMetadata> {
  const known = await parseMetadata(provider.metadata_xml);
  const { metadata_url: url } = provider;
  if (url === null || !isStale(known, provider.read_at, context.now())) return known;
  try {
    const { xml, metadata } = await fetchMetadata(context, url);
    if (metadata.entityId !== known.entityId) throw new Error('another entity');
    await context.database.asOwner((tx) => refreshMetadata(tx, provider, xml, new Date(context.now())));
    return metadata;
  } catch (cause) {
    context.log.warn({ provider: provider.id, cause: String(cause) }, 'SAML metadata not refreshed');
    return known;
  }
}

/** Checks the stated lifetime, or one day where none is stated. */
function isStale({ validUntil, cacheMs }: IdpMetadata, readAt: Date, now: number): boolean {
  if (validUntil !== undefined && now > validUntil) return true;
  if (cacheMs !== undefined) return now > readAt.getTime() + cacheMs;
  return validUntil === undefined && now > readAt.getTime() + DAY_MS;
}
