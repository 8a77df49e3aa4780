import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '#backend/auth/routes/index.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson } from '#tests/support/people.ts';
import { createSamlIdp } from '#tests/support/saml-idp.ts';

/**
 * What every call says to a body that is none, with upstream's status and code. The calls and their
 * members come from the declarations of the server, so that none is forgotten.
 */
let server: AuthBackend;
let places: Readonly<Record<string, string>>;
let user: string;
beforeAll(async () => {
  const many = 1_000_000;
  server = await bootAuthBackend({
    // An unconfirmed factor is deleted after five minutes.
    clock: 'frozen',
    auth: (auth) => ({
      enable_signup: true,
      saml: { ...auth.saml, enabled: true },
      mfa: { ...auth.mfa, rate_limit_challenge_and_verify: many },
      rate_limit: { ...auth.rate_limit, token_refresh: many, sign_in_sign_ups: many, token_verifications: many },
    }),
  });
  const [me, other] = [await addPerson(server), await addPerson(server)];
  user = (await server.client().auth.signInWithPassword(me)).data.session?.access_token ?? '';
  const post = async (path: string, body: object, who: Who): Promise<string> => {
    const response = await server.call('POST', path, body, buildHeaders(who));
    return ((await response.json()) as { id: string }).id;
  };
  const factor = await post('/factors', { factor_type: 'totp', friendly_name: 'eins' }, 'user');
  const own = await (await server.call('GET', '/sso/saml/metadata')).text();
  const provider = { type: 'saml', metadata_xml: createSamlIdp(own).metadata };
  const idp = await post('/admin/sso/providers', provider, 'admin');
  places = {
    '/admin/users/:id/factors': `/admin/users/${me.id}/factors`,
    ':idp_id': idp,
    ':id': other.id,
    ':factor_id': factor,
  };
});
afterAll(() => server.stop());

type Who = 'nobody' | 'user' | 'admin';

function buildHeaders(who: Who): Record<string, string> {
  if (who === 'nobody') return {};
  return { authorization: `Bearer ${who === 'user' ? user : server.backend.keys.secretKey}` };
}

type Case = Readonly<{
  who: Who;
  /** Upstream's answer where every member is missing. */
  empty: readonly [status: number, code: string];
  /** Members that another kind of value does no harm to, since upstream reads them raw. */
  loose?: readonly string[];
  /** What else it takes to be looked at closely. */
  beside?: Readonly<Record<string, unknown>>;
}>;

const INVALID = [400, 'validation_failed'] as const;

const CASES: Readonly<Record<string, Case>> = {
  'POST /token?grant_type=password': {
    who: 'nobody',
    empty: INVALID,
    beside: { email: 'a@beispiel.test', password: 'x' },
  },
  'POST /token?grant_type=refresh_token': { who: 'nobody', empty: INVALID },
  'POST /token?grant_type=pkce': { who: 'nobody', empty: INVALID },
  'POST /token?grant_type=id_token': {
    who: 'nobody',
    empty: [400, 'invalid request'],
    beside: { provider: 'google', id_token: 'x' },
  },
  'POST /token?grant_type=unbekannt': { who: 'nobody', empty: [400, 'invalid_credentials'] },
  'POST /token?grant_type=%00': { who: 'nobody', empty: INVALID },
  'POST /signup': {
    who: 'nobody',
    empty: [422, 'anonymous_provider_disabled'],
    beside: { email: 'a@beispiel.test', password: 'ein gutes Passwort' },
  },
  'POST /recover': { who: 'nobody', empty: INVALID },
  'POST /otp': { who: 'nobody', empty: INVALID, beside: { email: 'b@beispiel.test' } },
  'POST /magiclink': { who: 'nobody', empty: [422, 'validation_failed'], beside: { email: 'e@beispiel.test' } },
  'POST /resend': { who: 'nobody', empty: INVALID },
  'POST /verify': {
    who: 'nobody',
    empty: INVALID,
    beside: { type: 'signup', email: 'b@beispiel.test', token: '123456' },
  },
  'POST /sso': { who: 'nobody', empty: INVALID, beside: { domain: 'firma.test' } },
  'PUT /user': { who: 'user', empty: [200, ''], loose: ['app_metadata'] },
  'POST /factors': { who: 'user', empty: INVALID, beside: { factor_type: 'totp' } },
  'POST /factors/:factor_id/challenge': { who: 'user', empty: [200, ''] },
  'POST /factors/:factor_id/verify': { who: 'user', empty: INVALID },
  'POST /admin/users': { who: 'admin', empty: INVALID, beside: { email: 'c@beispiel.test' } },
  'PUT /admin/users/:id': { who: 'admin', empty: [200, ''] },
  'PUT /admin/users/:id/factors/:factor_id': { who: 'admin', empty: [200, ''] },
  'POST /invite': { who: 'admin', empty: INVALID },
  'POST /admin/generate_link': {
    who: 'admin',
    empty: INVALID,
    beside: { type: 'magiclink', email: 'd@beispiel.test' },
  },
  'POST /admin/sso/providers': { who: 'admin', empty: INVALID },
  'PUT /admin/sso/providers/:idp_id': { who: 'admin', empty: [200, ''] },
  'DELETE /admin/users/:id': { who: 'admin', empty: [200, ''] },
};

const bare = (call: string): string => call.replace(/\?.*$/, '');
const declared = ROUTES.flatMap(({ spec }) => (spec.body === undefined ? [] : [{ ...spec, body: spec.body }]));
const getSpec = (call: string) => declared.find(({ method, url }) => `${String(method)} ${url}` === bare(call));

async function send(call: string, body: string | undefined, type = 'application/json'): Promise<[number, string]> {
  const [method = '', path = ''] = call.split(' ');
  const route = Object.entries(places).reduce((text, [name, value]) => text.replace(name, value), path);
  const given = body === undefined ? {} : { 'content-type': type };
  const response = await server.call(method, route, body, { ...given, ...buildHeaders(CASES[call]?.who ?? 'nobody') });
  const answer = z.looseObject({ error: z.string().optional() }).safeParse(await response.json().catch(() => ({})));
  return [response.status, response.headers.get('x-sb-error-code') ?? answer.data?.error ?? ''];
}

const UNREADABLE = [
  '{',
  '{"a":}',
  'kein JSON',
  '\u0000',
  '[]',
  '"text"',
  '7',
  'true',
  '{"a":"\\u0000"}',
  '{"a":"\\ud800"}',
];

test('each route with a body has its row, and each row its route', () => {
  const calls = declared.map(({ method, url }) => `${String(method)} ${url}`);
  expect([...new Set(Object.keys(CASES).map(bare))].toSorted()).toEqual(calls.toSorted());
});

describe.each(Object.entries(CASES))('contract §1.1 bad input: %s', (call, { empty, loose = [], beside }) => {
  test.each(UNREADABLE)('%j → 400 bad_json', async (body) => {
    expect(await send(call, body)).toEqual([400, 'bad_json']);
  });

  test('no body at all', async () => {
    const optional = getSpec(call)?.presence === 'optional';
    if (call.startsWith('DELETE')) return expect(optional).toBe(true);
    return expect(await send(call, undefined)).toEqual(optional ? empty : [400, 'bad_json']);
  });

  test('each member with a value of another kind → 400 bad_json', async () => {
    const body = getSpec(call)?.body;
    const members = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    expect(members.length).toBeGreaterThan(0);
    for (const member of members.filter((name) => !loose.includes(name))) {
      for (const value of [7, [[]]]) {
        expect([member, ...(await send(call, JSON.stringify({ [member]: value })))]).toEqual([member, 400, 'bad_json']);
      }
    }
  });

  test('threat 18 another content type → 415; more than 1 MB → 413', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect(await send(call, '{}', type)).toEqual([415, 'validation_failed']);
    }
    expect(await send(call, JSON.stringify({ a: 'x'.repeat(1_100_000) }))).toEqual([413, 'request_entity_too_large']);
  });

  test('each text half a megabyte long: refused, never a 5xx', async () => {
    const body = getSpec(call)?.body;
    for (const member of body instanceof z.ZodObject ? Object.keys(body.shape) : []) {
      const [status] = await send(call, JSON.stringify({ ...beside, [member]: 'x'.repeat(500_000) }));
      expect([member, status < 500]).toEqual([member, true]);
    }
  });

  test('null counts as {}: upstream’s answer where every member is missing', async () => {
    expect(await send(call, 'null')).toEqual(empty);
  });
});

describe('contract §1.1 bad input: paths and query strings', () => {
  // An address that cannot be decoded reaches no call, here as upstream.
  const odd = ['keine', '%00', '%E0%A4%A', '..%2F..', `${randomUUID()}x`, "'--"];
  const ROUTES: [string, string, Who, RegExp][] = [
    ['GET', '/admin/users/', 'admin', /^404 (validation_failed|not_found)$|^400 null$/],
    ['DELETE', '/admin/users/', 'admin', /^404 (validation_failed|not_found)$|^400 null$/],
    ['GET', '/admin/sso/providers/', 'admin', /^404 (sso_provider_not_found|not_found)$|^400 null$/],
    ['DELETE', '/user/identities/', 'user', /^404 (manual_linking_disabled|not_found)$|^400 null$/],
    ['DELETE', '/factors/', 'user', /^404 (validation_failed|not_found)$|^400 null$/],
  ];
  test.each(ROUTES)('%s %s…: an invalid id', async (method, path, who, expected) => {
    for (const id of odd) {
      const response = await server.call(method, path + id, undefined, buildHeaders(who));
      expect([id, `${response.status} ${response.headers.get('x-sb-error-code')}`]).toEqual([
        id,
        expect.stringMatching(expected),
      ]);
    }
  });

  test.each([
    ['GET', '/verify', 'nobody', 400, 'validation_failed'],
    ['GET', '/verify?type=signup&type=recovery', 'nobody', 400, 'validation_failed'],
    ['GET', '/verify?token=%00&type=signup', 'nobody', 400, 'validation_failed'],
    ['GET', '/authorize', 'nobody', 400, 'validation_failed'],
    ['GET', '/authorize?provider=__proto__', 'nobody', 400, 'validation_failed'],
    ['GET', '/admin/users?page=-1', 'admin', 400, 'validation_failed'],
    ['GET', '/admin/users?per_page=zehn', 'admin', 400, 'validation_failed'],
    ['GET', '/admin/users?sort=encrypted_password', 'admin', 400, 'validation_failed'],
    ['POST', '/logout?scope=alle', 'user', 400, 'validation_failed'],
    ['GET', '/nirgends', 'nobody', 404, 'not_found'],
  ] as const)('%s %s → %i', async (method, path, who, status, code) => {
    const target = path.replace('ID', randomUUID());
    const response = await server.call(method, target, undefined, buildHeaders(who));
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([status, code]);
  });
});
