import { isIP } from 'node:net';
import type { ProjectConfig } from '../../config.ts';

/** Whom passkeys are made for. */
export type RelyingParty = Readonly<{
  id: string;
  name: string;
  /** The pages that may answer; `claimed` is where an answer says it comes from. */
  originsFor: (claimed: string) => string[];
}>;

const LOCAL = /^http:\/\/localhost(:\d{1,5})?$/;

/**
 * `[auth.webauthn]`, else the site itself. A browser takes no address for a name, so a site on the loopback address is
 * `localhost`, at whatever port it runs.
 */
export function relyingParty(auth: Pick<ProjectConfig['auth'], 'site_url' | 'webauthn'>): RelyingParty {
  const site = new URL(auth.site_url);
  const named = isIP(site.hostname.replaceAll(/[[\]]/g, '')) === 0;
  const id = auth.webauthn.rp_id ?? (named ? site.hostname : 'localhost');
  const configured = auth.webauthn.rp_origins?.map((origin) => new URL(origin).origin);
  return {
    id,
    name: auth.webauthn.rp_display_name ?? id,
    originsFor: (claimed) => {
      if (configured !== undefined) return configured;
      if (named && site.hostname !== 'localhost') return [site.origin];
      return LOCAL.test(claimed) ? [claimed] : [];
    },
  };
}
