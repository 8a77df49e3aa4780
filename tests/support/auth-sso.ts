import { randomUUID } from 'node:crypto';
import type { ProjectConfig } from '#backend/config.ts';
import type { SupabaseClient } from '@supabase/supabase-js';
import { bootAuthBackend, type AuthBackend } from './auth-backend.ts';
import { createSamlIdp, type Posted, type Said, type SamlIdp } from './saml-idp.ts';

type SamlConfig = ProjectConfig['auth']['saml'];

export type SsoLanding = Readonly<{ status: number; url: URL; query: URLSearchParams; fragment: URLSearchParams }>;

/** A server with one company set up, and what a browser does with it. */
export type SsoWorld = Readonly<{
  server: AuthBackend;
  ownMetadata: string;
  domain: string;
  home: string;
  idp: SamlIdp;
  providerId: string;
  admin: (method: string, route: string, body?: unknown) => Promise<Response>;
  /** Sets an identity provider up; its id. */
  establish: (of: SamlIdp, more?: object) => Promise<string>;
  /** The address that the official client makes a browser open. */
  departure: (client?: SupabaseClient, to?: { domain: string } | { providerId: string }) => Promise<string>;
  post: (form: Posted) => Promise<SsoLanding>;
  signOn: (email: string, change?: Partial<Said>, of?: SamlIdp, id?: string) => Promise<SsoLanding>;
  fresh: () => string;
}>;

export async function startSsoWorld(saml: Partial<SamlConfig> = {}): Promise<SsoWorld> {
  const home = 'https://app.beispiel.test/x';
  const many = 1_000_000;
  const server = await bootAuthBackend({
    auth: (auth) => ({
      additional_redirect_urls: ['https://app.beispiel.test/**'],
      saml: { ...auth.saml, enabled: true, rate_limit_assertion: many, ...saml },
      rate_limit: { ...auth.rate_limit, sign_in_sign_ups: many, token_refresh: many },
    }),
  });
  const domain = 'firma.beispiel.test';
  const ownMetadata = await (await server.call('GET', '/sso/saml/metadata')).text();
  const idp = createSamlIdp(ownMetadata);
  const admin = (method: string, route: string, body?: unknown): Promise<Response> =>
    server.call(method, route, body, { authorization: `Bearer ${server.backend.keys.secretKey}` });
  const establish = async (of: SamlIdp, more: object = {}): Promise<string> => {
    const response = await admin('POST', '/admin/sso/providers', { type: 'saml', metadata_xml: of.metadata, ...more });
    if (response.status !== 201) throw new Error(await response.text());
    return ((await response.json()) as { id: string }).id;
  };
  const providerId = await establish(idp, { domains: [domain] });
  const departure: SsoWorld['departure'] = async (client = server.client(), to = { domain }) => {
    const { data, error } = await client.auth.signInWithSSO({ ...to, options: { redirectTo: home } });
    if (error !== null) throw error;
    return data.url;
  };
  const post = async (form: Posted): Promise<SsoLanding> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await server.call('POST', '/sso/saml/acs', new URLSearchParams(form).toString(), headers);
    const url = new URL(response.headers.get('location') ?? 'http://missing.invalid');
    return { status: response.status, url, query: url.searchParams, fragment: new URLSearchParams(url.hash.slice(1)) };
  };
  // prettier-ignore
  return {
    server, ownMetadata, domain, home, idp, providerId, admin, establish, departure, post,
    signOn: async (email, change = {}, of = idp, id = providerId) =>
      post(await of.answer(await departure(server.client(), { providerId: id }), email, change)),
    fresh: () => `${randomUUID()}@${domain}`,
  };
}
