import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { holdRows } from '#tests/support/held-rows.ts';
import { createSamlIdp } from '#tests/support/saml-idp.ts';
import { stopServer } from '#tests/support/stop-server.ts';

const SP =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="sp"><SPSSODescriptor ' +
  'WantAssertionsSigned="true" ' +
  'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="1" ' +
  'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" ' +
  'Location="https://x.test/acs"/></SPSSODescriptor></EntityDescriptor>';

/** Where metadata are; what is served, and how often anybody asked. */
let served = '';
let status = 200;
let hits = 0;
let beforeAnswer = async (): Promise<void> => undefined;
const place = createServer((_request, response) => {
  hits += 1;
  const answer = (): unknown =>
    response.writeHead(status, { location: 'http://127.0.0.1:9/', 'content-type': 'application/xml' }).end(served);
  void beforeAnswer().then(answer);
});
let host: string;
let server: AuthBackend;
beforeAll(async () => {
  await new Promise<void>((resolve) => void place.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(place.address() as AddressInfo).port}`;
  server = await bootAuthBackend({
    auth: (auth) => ({ saml: { ...auth.saml, enabled: true }, internal_hosts: [host] }),
    resolve: (name, done) => done(null, [{ address: name.startsWith('innen') ? '127.0.0.1' : '192.0.2.1', family: 4 }]),
  });
});
afterAll(async () => {
  await server.stop();
  await stopServer(place);
});

const admin = async (method: string, route: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
  const response = await server.call(method, `/admin/sso/providers${route}`, body, headers);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const metadata = (): string => createSamlIdp(SP).metadata;
const create = (more: object = {}) => admin('POST', '', { type: 'saml', metadata_xml: metadata(), ...more });

describe('contract §1.4 /admin/sso/providers', () => {
  test('PUT by two administrators at once: the second keeps what the first has changed', async () => {
    const id = String((await create()).body['id']);
    const provider = await holdRows(server.backend.databaseUrl, 'auth.sso_providers where id', id);
    const disabled = admin('PUT', `/${id}`, { disabled: true });
    await provider.waitFor(1);
    const moved = admin('PUT', `/${id}`, { domains: [`${id}.test`] });
    await provider.waitFor(2);
    await provider.release();
    expect([(await disabled).status, (await moved).status]).toEqual([200, 200]);
    expect((await admin('GET', `/${id}`)).body).toMatchObject({ disabled: true, domains: [{ domain: `${id}.test` }] });
  });

  test('POST → 201 with upstream’s shape; GET, by id and by resource id; the list holds no metadata', async () => {
    const resource_id = `firma-${randomUUID()}`;
    const keys = { name: { name: 'displayName' } };
    const domains = [`A-${resource_id}.test`, `b-${resource_id}.test`];
    const made = await create({ resource_id, domains, attribute_mapping: { keys } });
    const provider = {
      id: expect.any(String),
      resource_id,
      disabled: null,
      saml: {
        entity_id: expect.stringMatching(/^https:\/\/idp-/),
        metadata_xml: expect.stringContaining('EntityDescriptor'),
        attribute_mapping: { keys },
      },
      domains: [{ domain: `a-${resource_id}.test` }, { domain: `b-${resource_id}.test` }],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(made).toEqual({ status: 201, body: provider });
    const id = String(made.body['id']);
    expect(await admin('GET', `/${id}`)).toEqual({ status: 200, body: provider });
    expect((await admin('GET', `/resource_${resource_id.toUpperCase()}`)).body['id']).toBe(id);
    for (const query of [`?resource_id=${resource_id}`, '?resource_id_prefix=firma-']) {
      const { body } = await admin('GET', query);
      expect(body).toEqual({
        items: [{ ...provider, saml: { entity_id: expect.any(String), attribute_mapping: { keys } } }],
      });
    }
    expect((await admin('GET', '?resource_id=keine')).body).toEqual({ items: [] });
  });

  test('PUT changes the given fields; DELETE answers the provider', async () => {
    const xml = metadata();
    const own = `${randomUUID()}.test`;
    const made = await create({ metadata_xml: xml, domains: [own], name_id_format: PERSISTENT });
    const route = `/${String(made.body['id'])}`;
    const next = `${randomUUID()}.test`;
    const changed = await admin('PUT', route, {
      domains: [own, next],
      disabled: true,
      metadata_xml: `${xml} `,
      resource_id: next,
    });
    expect(changed.body).toMatchObject({
      disabled: true,
      resource_id: next,
      domains: [{ domain: own }, { domain: next }],
    });
    expect(changed.body['saml']).not.toHaveProperty('name_id_format');
    const kept = await admin('PUT', route, {
      attribute_mapping: { keys: { a: { name: 'b' } } },
      name_id_format: PERSISTENT,
    });
    expect(kept.body).toMatchObject({
      disabled: true,
      domains: [{ domain: own }, { domain: next }],
      saml: { attribute_mapping: { keys: { a: { name: 'b' } } }, name_id_format: PERSISTENT },
    });
    expect((await admin('PUT', route, { domains: [], resource_id: '' })).body).toMatchObject({ domains: [] });
    expect((await admin('DELETE', route)).status).toBe(200);
    expect((await admin('GET', route)).body).toMatchObject({ code: 404, error_code: 'sso_provider_not_found' });
  });

  const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

  test.each<[object, number, string, string]>([
    [{ type: 'oidc' }, 400, 'validation_failed', `Only 'saml' supported for SSO provider type`],
    [{ metadata_xml: '' }, 400, 'validation_failed', 'Either metadata_xml or metadata_url must be set'],
    [
      { metadata_url: 'https://x.test' },
      400,
      'validation_failed',
      'Only one of metadata_xml or metadata_url needs to be set',
    ],
    [{ metadata_xml: '', metadata_url: 'keine' }, 400, 'validation_failed', 'metadata_url is not a valid URL'],
    [{ metadata_xml: '', metadata_url: 'http://x.test' }, 400, 'validation_failed', 'metadata_url is not a HTTPS URL'],
    [
      { name_id_format: 'x' },
      400,
      'validation_failed',
      expect.stringMatching(/^name_id_format must be unspecified/) as string,
    ],
    [{ domains: [' '] }, 400, 'validation_failed', 'A domain must not be empty'],
    [{ domains: ['x'.repeat(256)] }, 400, 'validation_failed', 'A domain is too long'],
    [{ resource_id: 'x'.repeat(256) }, 400, 'validation_failed', 'resource_id is too long'],
    [
      { metadata_xml: `<EntityDescriptor entityID="${'x'.repeat(1_025)}"/>` },
      400,
      'validation_failed',
      'SAML Metadata contains an EntityID that is too long',
    ],
    [{ domains: 'x' }, 400, 'bad_json', expect.any(String) as string],
    [{ metadata_xml: 'kein XML' }, 400, 'validation_failed', 'SAML Metadata XML could not be read'],
    [{ metadata_xml: '<EntityDescriptor/>' }, 400, 'validation_failed', 'SAML Metadata XML could not be read'],
    [
      { metadata_xml: '<EntityDescriptor ID="x"/>' },
      400,
      'validation_failed',
      'SAML Metadata does not contain an EntityID',
    ],
    [{ metadata_xml: SP }, 400, 'validation_failed', 'SAML Metadata does not contain any IDPSSODescriptor'],
    [
      { metadata_xml: `<!DOCTYPE a [<!ENTITY b "c">]>${SP}` },
      400,
      'validation_failed',
      'SAML Metadata XML could not be read',
    ],
  ])('POST %j → %i %s', async (more, code, error_code, msg) => {
    expect((await create(more)).body).toEqual({ code, error_code, msg });
  });

  test('an entity, a domain, a resource id that is taken', async () => {
    const xml = metadata();
    const taken = `${randomUUID()}.test`;
    const made = await create({ metadata_xml: xml, domains: [taken], resource_id: taken });
    expect((await create({ metadata_xml: xml })).body).toMatchObject({
      code: 422,
      error_code: 'saml_idp_already_exists',
    });
    expect((await create({ domains: [taken.toUpperCase()] })).body).toMatchObject({
      code: 400,
      error_code: 'sso_domain_already_exists',
    });
    expect((await create({ resource_id: taken })).body).toMatchObject({ code: 422, error_code: 'conflict' });
    const mismatch = await admin('PUT', `/${String(made.body['id'])}`, { metadata_xml: metadata() });
    expect(mismatch.body).toMatchObject({ code: 400, error_code: 'saml_entity_id_mismatch' });
  });

  test.each(['/keine', `/${randomUUID()}`, '/resource_keine'])('GET %s → 404', async (route) => {
    expect((await admin('GET', route)).body).toMatchObject({ code: 404, error_code: 'sso_provider_not_found' });
  });

  test('for administrators only', async () => {
    expect((await server.call('GET', '/admin/sso/providers')).status).toBe(401);
    const headers = { authorization: `Bearer ${server.backend.keys.publishableKey}` };
    expect((await server.call('GET', '/admin/sso/providers', undefined, headers)).status).toBe(403);
  });
});

describe('metadata_url', () => {
  test('is read, and read again when it is old', async () => {
    const idp = createSamlIdp(SP);
    served = idp.metadata;
    const made = await create({ metadata_xml: '', metadata_url: `http://${host}/metadata` });
    expect(made.body).toMatchObject({ saml: { entity_id: idp.entityId, metadata_url: `http://${host}/metadata` } });
    const before = hits;
    const form = await idp.unasked('a@beispiel.test', { audience: 'x' });
    const post = (): Promise<Response> =>
      server.call('POST', '/sso/saml/acs', new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    await post();
    expect(hits).toBe(before);
    server.advance(25 * 3_600_000);
    await post();
    await post();
    expect(hits).toBe(before + 1);
  });

  test('does not bring back what an administrator replaces while it is read', async () => {
    const idp = createSamlIdp(SP);
    served = idp.metadata;
    const url = `http://${host}/metadata`;
    const id = String((await create({ metadata_xml: '', metadata_url: url })).body['id']);
    const form = await idp.unasked('b@beispiel.test', { audience: 'x' });
    server.advance(25 * 3_600_000);
    const replaced = idp.metadata.replace('<EntityDescriptor', '<EntityDescriptor ID="replaced"');
    beforeAnswer = async () => {
      beforeAnswer = async () => undefined;
      expect((await admin('PUT', `/${id}`, { metadata_xml: replaced })).status).toBe(200);
    };
    await server.call('POST', '/sso/saml/acs', new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect((await admin('GET', `/${id}`)).body).toMatchObject({ saml: { metadata_xml: replaced } });
  });

  test('that answers anything but 200 → saml_metadata_fetch_failed; a redirect is not followed', async () => {
    for (const answer of [404, 302]) {
      status = answer;
      const url = `http://${host}/weg`;
      const { body } = await create({ metadata_xml: '', metadata_url: url });
      status = 200;
      expect(body).toEqual({
        code: 400,
        error_code: 'saml_metadata_fetch_failed',
        msg: `HTTP ${answer} error fetching SAML Metadata from URL '${url}'`,
      });
    }
  });

  test.each([
    'https://innen.beispiel.test',
    'https://127.0.0.1:PORT',
    'https://localhost:PORT',
    'https://[::1]:PORT',
    'https://169.254.169.254',
  ])('threat 19 %s is not asked, and the answer tells nothing about it', async (address) => {
    const before = hits;
    const url = address.replace('PORT', host.split(':')[1] ?? '');
    const { body } = await create({ metadata_xml: '', metadata_url: url });
    expect(body).toMatchObject({ code: 400, msg: `Error fetching SAML Metadata from URL '${url}'` });
    expect(hits).toBe(before);
  });
});
