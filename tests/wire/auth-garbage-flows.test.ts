import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES, FORM_ROUTES } from '#backend/auth/routes/index.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { externalConfig } from '#tests/support/auth-external.ts';
import { garbageBody, garbageForm, garbageText } from '#tests/support/garbage.ts';
import { addPerson } from '#tests/support/people.ts';
import { createSamlIdp } from '#tests/support/saml-idp.ts';

/**
 * Generated garbage into every parser of the flows that leave this service and come back: never a 5xx, never a crash.
 */
let server: AuthBackend;
let user: string;
let ssoId: string;
beforeAll(async () => {
  const many = 1_000_000;
  const oauth = { enabled: true, client_id: 'x', secret: 'y', url: 'http://127.0.0.1:9' };
  server = await bootAuthBackend({
    auth: (auth) => ({
      enable_signup: true,
      enable_manual_linking: true,
      internal_hosts: ['127.0.0.1:9'],
      external: { github: externalConfig(oauth), keycloak: externalConfig(oauth) },
      saml: { ...auth.saml, enabled: true, rate_limit_assertion: many },
      email: { ...auth.email, secure_password_change: true, max_frequency: '1ms' },
      sms: { ...auth.sms, enable_signup: true, max_frequency: '1ms', test_otp: { '491701234567': '123456' } },
      rate_limit: {
        ...auth.rate_limit,
        token_refresh: many,
        sign_in_sign_ups: many,
        token_verifications: many,
        email_sent: many,
      },
    }),
  });
  const person = await addPerson(server);
  user = (await server.client().auth.signInWithPassword(person)).data.session?.access_token ?? '';
  const own = await (await server.call('GET', '/sso/saml/metadata')).text();
  const body = { type: 'saml', metadata_xml: createSamlIdp(own).metadata, domains: ['firma.test'] };
  const made = await server.call('POST', '/admin/sso/providers', body, buildHeaders('admin'));
  ssoId = ((await made.json()) as { id: string }).id;
});
afterAll(() => server.stop());

type Who = 'nobody' | 'user' | 'admin';

function buildHeaders(who: Who): Record<string, string> {
  if (who === 'nobody') return {};
  return { authorization: `Bearer ${who === 'user' ? user : server.backend.keys.secretKey}` };
}

const BODIES: [string, string, Who][] = [
  ['POST', '/token?grant_type=pkce', 'nobody'],
  ['POST', '/token?grant_type=id_token', 'nobody'],
  ['POST', '/otp', 'nobody'],
  ['POST', '/resend', 'nobody'],
  ['POST', '/verify', 'nobody'],
  ['POST', '/sso', 'nobody'],
  ['PUT', '/user', 'user'],
  ['POST', '/admin/sso/providers', 'admin'],
  ['PUT', '/admin/sso/providers/ID', 'admin'],
];

// prettier-ignore
const MEMBERS = [
  'email', 'phone', 'password', 'data', 'type', 'token', 'token_hash', 'nonce', 'redirect_to', 'create_user', 'channel',
  'code_challenge', 'code_challenge_method', 'auth_code', 'code_verifier', 'id_token', 'access_token', 'provider',
  'client_id', 'issuer', 'link_identity', 'provider_id', 'domain', 'skip_http_redirect', 'metadata_xml', 'metadata_url',
  'domains', 'attribute_mapping', 'name_id_format', 'resource_id', 'disabled',
];

const QUERIES: [string, string, Who][] = [
  ['GET', '/verify', 'nobody'],
  ['GET', '/authorize', 'nobody'],
  ['GET', '/callback', 'nobody'],
  ['GET', '/user/identities/authorize', 'user'],
  ['GET', '/sso/saml/metadata', 'nobody'],
  ['GET', '/admin/sso/providers', 'admin'],
];

const PARAMETERS = [
  'token',
  'type',
  'redirect_to',
  'provider',
  'scopes',
  'code_challenge',
  'code_challenge_method',
  'invite_token',
  'state',
  'code',
  'error',
  'error_description',
  'skip_http_redirect',
  'download',
  'resource_id',
  'resource_id_prefix',
  'prompt',
];

const FORMS: [string, readonly string[]][] = [
  ['/callback', PARAMETERS],
  ['/sso/saml/acs', ['SAMLResponse', 'RelayState', 'SAMLart']],
];

const PATHS: [string, string, Who][] = [
  ['DELETE', '/user/identities/:identity_id', 'user'],
  ['GET', '/admin/sso/providers/:idp_id', 'admin'],
  ['DELETE', '/admin/sso/providers/:idp_id', 'admin'],
];

const runs = { numRuns: 50 };

describe('fault table: generated garbage', () => {
  test.each(BODIES)('%s %s', async (method, path, who) => {
    const property = fc.asyncProperty(garbageBody(MEMBERS), async (text) => {
      const response = await server.call(method, path.replace('ID', ssoId), text || '{}', buildHeaders(who));
      expect(response.status).toBeLessThan(500);
    });
    await fc.assert(property, runs);
  });

  test.each(QUERIES)('%s %s?…', async (method, path, who) => {
    const property = fc.asyncProperty(garbageForm(PARAMETERS), async (query) => {
      const response = await server.call(method, `${path}?${query}`, undefined, buildHeaders(who));
      expect(response.status).toBeLessThan(500);
    });
    await fc.assert(property, runs);
  });

  test.each(FORMS)('POST %s, forms', async (path, names) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const property = fc.asyncProperty(garbageForm(names), async (form) => {
      const response = await server.call('POST', path, form || 'a=b', headers);
      expect(response.status).toBeLessThan(500);
      expect(response.headers.get('location') ?? '').not.toMatch(/access_token/);
    });
    await fc.assert(property, runs);
  });

  test('POST /sso/saml/acs, XML', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const name = fc.constantFrom(
      'Response',
      'Assertion',
      'Issuer',
      'Status',
      'StatusCode',
      'Signature',
      'Subject',
      'a:b',
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        garbageText.map((text) => text.replaceAll(/[<&]/g, '')),
        fc
          .tuple(name, garbageText, fc.array(tie('tree'), { maxLength: 3 }))
          .map(
            ([tag, attribute, children]) =>
              `<${tag} ID="${attribute.replaceAll(/[<&"]/g, '')}">${children.join('')}</${tag}>`,
          ),
      ),
    }));
    const property = fc.asyncProperty(tree, async (inner) => {
      const xml = `<Response><Issuer>x</Issuer>${inner}</Response>`;
      const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') });
      expect((await server.call('POST', '/sso/saml/acs', form.toString(), headers)).status).toBe(303);
    });
    await fc.assert(property, runs);
    const deep = `${'<a>'.repeat(60_000)}${'</a>'.repeat(60_000)}`;
    const form = new URLSearchParams({ SAMLResponse: Buffer.from(deep).toString('base64') });
    expect((await server.call('POST', '/sso/saml/acs', form.toString(), headers)).status).toBe(303);
  });

  test.each(PATHS)('%s %s', async (method, path, who) => {
    const property = fc.asyncProperty(garbageText, async (text) => {
      const route = path.replace(/:\w+/, encodeURIComponent(text) || 'x');
      expect((await server.call(method, route, undefined, buildHeaders(who))).status).toBeLessThan(500);
    });
    await fc.assert(property, runs);
  });

  test('afterwards the service answers as before', async () => {
    expect((await server.client().auth.signInWithPassword(await addPerson(server))).error).toBeNull();
  });
});

test('threat 18 a form from a foreign page is refused wherever JSON is expected, JSON where a form is', async () => {
  for (const [method, path, who] of BODIES) {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await server.call(method, path.replace('ID', randomUUID()), 'email=a%40b.test', {
        'content-type': type,
        ...buildHeaders(who),
      });
      expect([method, path, response.status]).toEqual([method, path, 415]);
    }
  }
  for (const [path] of FORMS) expect((await server.call('POST', path, {})).status).toBe(415);
});

/** Everything that is mounted; who signs out here is nobody for the calls that follow. */
function everyRoute(): { method: string; url: string }[] {
  const routes = [...ROUTES, ...FORM_ROUTES].map(({ spec }) => ({ method: String(spec.method), url: spec.url }));
  return routes.toSorted((a, b) => Number(a.url === '/logout') - Number(b.url === '/logout'));
}

test('every route that is mounted: garbage in path, query and body', async () => {
  const routes = everyRoute();
  expect(routes.length).toBeGreaterThanOrEqual(40);
  const bodies = garbageBody(MEMBERS);
  for (const { method, url } of routes) {
    const who = url.startsWith('/admin') || url === '/invite' ? 'admin' : 'user';
    const property = fc.asyncProperty(garbageText, garbageForm(PARAMETERS), bodies, async (text, query, body) => {
      const path = url.replaceAll(/:\w+/g, encodeURIComponent(text) || 'x');
      const given = method === 'GET' ? undefined : body || '{}';
      const response = await server.call(method, `${path}?${query}`, given, buildHeaders(who));
      expect([method, url, response.status < 500]).toEqual([method, url, true]);
    });
    await fc.assert(property, { numRuns: 10 });
  }
});
