import type { AuthContext } from '../context.ts';
import { metadataFetchFailed, parseMetadata, type IdpMetadata } from './metadata.ts';

export type Fetched = Readonly<{ xml: string; metadata: IdpMetadata }>;

/** Throws AuthError; the same one whether nobody answers or nobody may be asked, so that nobody probes this network. */
export async function fetchMetadata({ outbound, log }: AuthContext, url: string): Promise<Fetched> {
  const headers = { accept: 'application/xml;charset=UTF-8' };
  const response = await outbound(url, { headers }).catch((cause: unknown) => {
    log.info({ cause: String(cause) }, 'SAML metadata not fetched');
    throw metadataFetchFailed(url);
  });
  if (response.status !== 200) throw metadataFetchFailed(url, response.status);
  const xml = await response.text();
  return { xml, metadata: await parseMetadata(xml) };
}
