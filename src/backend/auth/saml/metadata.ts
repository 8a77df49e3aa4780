import { z } from 'zod';
import { AuthError, invalid } from '../errors.ts';
import { durationOfXml } from './xml-duration.ts';
import { readXml } from './xml.ts';

/** What is needed of an identity provider's own description (SAML 2.0 Metadata). */
export type IdpMetadata = Readonly<{
  entityId: string;
  /** Where requests go, by redirect. */
  signOnUrl: string;
  /** Base64 of certificates, one of which signs. */
  certificates: readonly string[];
  /** Milliseconds since 1970. */
  validUntil: number | undefined;
  cacheMs: number | undefined;
}>;

/** SAML 2.0 Core §8.3.6 */
const LONGEST_NAME = 1_024;
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

/** Throws AuthError that says what is missing. */
export async function parseMetadata(xml: string): Promise<IdpMetadata> {
  const root = Root.safeParse(await readXml(xml).catch(() => undefined));
  if (!root.success) throw invalid('SAML Metadata XML could not be read');
  const { $: attributes, IDPSSODescriptor: descriptors } = root.data.EntityDescriptor;
  const { entityID: entityId = '', validUntil = '', cacheDuration = '' } = attributes;
  if (entityId === '') throw invalid('SAML Metadata does not contain an EntityID');
  if (entityId.length > LONGEST_NAME) throw invalid('SAML Metadata contains an EntityID that is too long');
  const [descriptor] = descriptors;
  if (descriptor === undefined) throw invalid('SAML Metadata does not contain any IDPSSODescriptor');
  if (descriptors.length > 1) throw invalid('SAML Metadata contains multiple IDPSSODescriptors');
  const until = Date.parse(validUntil);
  return {
    entityId,
    signOnUrl: signOnUrlOf(descriptor),
    certificates: certificatesOf(descriptor),
    validUntil: Number.isNaN(until) ? undefined : until,
    cacheMs: durationOfXml(cacheDuration),
  };
}

type Descriptor = z.infer<typeof Descriptor>;

function signOnUrlOf({ SingleSignOnService: services }: Descriptor): string {
  for (const service of services) {
    const known = Service.safeParse(service).data?.$;
    if (known?.Binding === REDIRECT) return known.Location;
  }
  throw invalid('SAML Metadata does not contain a SingleSignOnService with HTTP-Redirect binding');
}

function certificatesOf({ KeyDescriptor: keys }: Descriptor): string[] {
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

export function metadataFetchFailed(url: string, status?: number): AuthError {
  const what = status === undefined ? 'Error' : `HTTP ${status} error`;
  return new AuthError(400, 'saml_metadata_fetch_failed', `${what} fetching SAML Metadata from URL '${url}'`);
}
