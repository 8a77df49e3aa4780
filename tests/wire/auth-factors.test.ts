import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand, runCommand } from '#server/accounts/commands.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { getCode, enrolApp, enter, enterWithApp, proveApp, type SignedIn } from '#tests/support/second-factors.ts';

const STEP = 30_000;
const MINUTE = 60_000;
let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      enable_signup: true,
      enable_anonymous_sign_ins: true,
      mfa: { ...auth.mfa, rate_limit_challenge_and_verify: 100_000 },
      rate_limit: { ...auth.rate_limit, token_refresh: 100_000, sign_in_sign_ups: 100_000 },
    }),
  });
});
afterAll(() => server.stop());

const bearer = ({ session }: SignedIn): Record<string, string> => ({ authorization: `Bearer ${session.access_token}` });

async function answer(response: Promise<Response>): Promise<unknown[]> {
  const { status, headers } = await response;
  return [status, headers.get('x-sb-error-code')];
}

describe('§7 POST /factors', () => {
  test('an authenticator app: QR code, secret, otpauth address; unverified, in the account’s list', async () => {
    const me = await enter(server);
    const { data, error } = await me.client.auth.mfa.enroll({
      factorType: 'totp',
      friendlyName: 'Handy',
      issuer: 'Verband',
    });
    expect(error).toBeNull();
    expect(data).toMatchObject({ type: 'totp', friendly_name: 'Handy' });
    expect(data?.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#]*<\/svg>$/s);
    const uri = new URL(data?.totp.uri ?? '');
    expect([uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual([data?.totp.secret, 'Verband']);
    expect(decodeURIComponent(uri.pathname)).toContain(me.email);
    const { data: factors } = await me.client.auth.mfa.listFactors();
    expect(factors?.all).toEqual([
      {
        id: data?.id,
        status: 'unverified',
        factor_type: 'totp',
        friendly_name: 'Handy',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(factors?.totp).toEqual([]);
  });

  test('the secret is in no table as it is', async () => {
    const me = await enter(server);
    const { secret, factorId } = await enrolApp(me);
    const [row] = await server.sql('select secret from auth.mfa_factors where id = $1', [factorId]);
    expect(row?.['secret']).toMatch(/"alg":"aes-gcm-hkdf"/);
    expect(row?.['secret']).not.toContain(secret);
  });

  test.each([
    [{}, 400, 'validation_failed'],
    [{ factor_type: 'sms' }, 400, 'validation_failed'],
    [{ factor_type: 'phone', phone: '+491701234567' }, 422, 'mfa_phone_enroll_not_enabled'],
    [{ factor_type: 'totp', friendly_name: 'x'.repeat(256) }, 400, 'validation_failed'],
    [{ factor_type: 'totp', issuer: 'x'.repeat(101) }, 400, 'validation_failed'],
    [{ factor_type: 7 }, 400, 'bad_json'],
    ['{', 400, 'bad_json'],
  ])('%j → %i %s', async (body, status, code) => {
    expect(await answer(server.call('POST', '/factors', body, bearer(await enter(server))))).toEqual([status, code]);
  });

  test('Two of the same name → 422 mfa_factor_name_conflict (contract §1.4)', async () => {
    const me = await enter(server);
    await enrolApp(me, 'Handy');
    const { error } = await me.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Handy' });
    expect(error).toMatchObject({ status: 422, code: 'mfa_factor_name_conflict' });
  });

  test('Ten are enough → 422 too_many_enrolled_mfa_factors; begun at once they are counted too (contract §1.4)', async () => {
    const me = await enter(server);
    const begun = await Promise.all(
      Array.from({ length: 14 }, (_, index) =>
        me.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `App ${index}` }),
      ),
    );
    expect(begun.filter(({ error }) => error === null)).toHaveLength(10);
    const codes = new Set(begun.flatMap(({ error }) => (error === null ? [] : [error.code])));
    expect([...codes]).toEqual(['too_many_enrolled_mfa_factors']);
  });

  test('Deletes an abandoned factor after 300 s, keeps one with a recent challenge (contract §1.4)', async () => {
    const me = await enter(server);
    const [left, asked] = [await enrolApp(me, 'liegengeblieben'), await enrolApp(me, 'in Arbeit')];
    server.advance(200_000);
    await me.client.auth.mfa.challenge({ factorId: asked.factorId });
    server.advance(101_000);
    await enrolApp(me, 'neu');
    const { data } = await me.client.auth.mfa.listFactors();
    expect(data?.all.map(({ friendly_name }) => friendly_name)).toEqual(['in Arbeit', 'neu']);
    const { error } = await me.client.auth.mfa.challenge({ factorId: left.factorId });
    expect(error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
  });

  test('With a second factor, another one needs aal2 → 403 insufficient_aal (contract §1.4)', async () => {
    const me = await enterWithApp(server);
    const again = await enter(server, me);
    const { error } = await again.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'zweites' });
    expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' });
    expect((await me.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'zweites' })).error).toBeNull();
  });

  test('Anonymous users → 403 no_authorization; without a login → 401 (contract §1.4)', async () => {
    const client = server.client();
    await client.auth.signInAnonymously();
    const { error } = await client.auth.mfa.enroll({ factorType: 'totp' });
    expect(error).toMatchObject({ status: 403, code: 'no_authorization' });
    expect(await answer(server.call('POST', '/factors', { factor_type: 'totp' }))).toEqual([401, 'no_authorization']);
  });
});

describe('§7 POST /factors/{id}/challenge and /verify', () => {
  test('the right code: aal2, both methods newest first, a new refresh token, the factor counts', async () => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const { data: asked } = await me.client.auth.mfa.challenge({ factorId: app.factorId });
    expect(asked).toEqual({
      id: expect.any(String),
      type: 'totp',
      expires_at: Math.floor(server.now() / 1_000) + 300,
    });
    server.advance(1_000);
    const code = getCode(server, app.secret);
    const { data, error } = await me.client.auth.mfa.verify({
      factorId: app.factorId,
      challengeId: asked?.id ?? '',
      code,
    });
    expect(error).toBeNull();
    expect(data).toMatchObject({
      token_type: 'bearer',
      expires_in: 3_600,
      user: { id: me.id, factors: [{ status: 'verified' }] },
    });
    const claims = decodeJwt(data?.access_token ?? '');
    const first = decodeJwt(me.session.access_token);
    expect(claims).toMatchObject({ aal: 'aal2', session_id: first['session_id'] });
    expect(claims['amr']).toEqual([
      { method: 'totp', timestamp: Math.floor(server.now() / 1_000) },
      { method: 'password', timestamp: expect.any(Number) },
    ]);
    expect(data?.refresh_token).not.toBe(me.session.refresh_token);
    const { data: level } = await me.client.auth.mfa.getAuthenticatorAssuranceLevel();
    expect(level).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
  });

  test('a later login is asked for it: aal1 with aal2 ahead, and refreshing keeps aal2', async () => {
    const first = await enterWithApp(server);
    const me = await enter(server, first);
    const before = await me.client.auth.mfa.getAuthenticatorAssuranceLevel();
    expect(before.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' });
    server.advance(STEP);
    await proveApp(server, me, first.app);
    const { data } = await me.client.auth.refreshSession();
    expect(decodeJwt(data.session?.access_token ?? '')).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp' }, {}] });
  });

  test('ends other sessions at aal1, keeps those at aal2 and deletes unverified factors of the kind', async () => {
    const here = await enter(server);
    const [there, app, left] = [await enter(server, here), await enrolApp(here, 'eins'), await enrolApp(here, 'zwei')];
    await proveApp(server, here, app);
    expect((await there.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    const { data } = await here.client.auth.mfa.listFactors();
    expect(data?.all.map(({ id }) => id)).toEqual([app.factorId]);
    expect(left.factorId).not.toBe(app.factorId);
    const third = await enter(server, here);
    server.advance(STEP);
    await proveApp(server, third, app);
    expect((await here.client.auth.getUser()).error).toBeNull();
  });

  test('threat 14 the refresh token from before opens nothing any more, at once it only fails, later the session dies', async () => {
    const me = await enterWithApp(server);
    const old = { refresh_token: me.session.refresh_token };
    const use = (): Promise<unknown[]> => answer(server.call('POST', '/token?grant_type=refresh_token', old));
    expect(await use()).toEqual([400, 'refresh_token_already_used']);
    expect((await me.client.auth.refreshSession()).error).toBeNull();
    server.advance(11_000);
    expect(await use()).toEqual([400, 'refresh_token_already_used']);
    expect((await me.client.auth.refreshSession()).error?.code).toBe('refresh_token_already_used');
  });

  test('a code counts once, also in another session and at the same moment; the next one counts', async () => {
    const me = await enterWithApp(server);
    const others = await Promise.all([enter(server, me), enter(server, me), enter(server, me)]);
    server.advance(STEP);
    const code = getCode(server, me.app.secret);
    const shown = await Promise.all(
      others.map(({ client }) => client.auth.mfa.challengeAndVerify({ factorId: me.app.factorId, code })),
    );
    expect(shown.filter(({ error }) => error === null)).toHaveLength(1);
    const again = await me.client.auth.mfa.challengeAndVerify({ factorId: me.app.factorId, code });
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    server.advance(STEP);
    await proveApp(server, me, me.app);
  });

  test.each([
    [-2, 422],
    [-1, undefined],
    [0, undefined],
    [1, undefined],
    [2, 422],
  ])('A clock %i steps off → %j (contract §1.4)', async (steps, status) => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const code = getCode(server, app.secret, steps);
    const { error } = await me.client.auth.mfa.challengeAndVerify({ factorId: app.factorId, code });
    expect(error?.status).toBe(status);
  });

  test('a wrong code changes nothing', async () => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const wrong = getCode(server, app.secret, 7);
    const { error } = await me.client.auth.mfa.challengeAndVerify({ factorId: app.factorId, code: wrong });
    expect(error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid TOTP code entered',
    });
    expect((await me.client.auth.getUser()).data.user?.factors).toMatchObject([{ status: 'unverified' }]);
    expect(decodeJwt((await me.client.auth.refreshSession()).data.session?.access_token ?? '')['aal']).toBe('aal1');
  });

  test('Five minutes later → 422 mfa_challenge_expired (contract §1.4)', async () => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const { data } = await me.client.auth.mfa.challenge({ factorId: app.factorId });
    server.advance(5 * MINUTE + 1);
    const asked = { factorId: app.factorId, challengeId: data?.id ?? '' };
    const verify = async (): Promise<string | undefined> =>
      (await me.client.auth.mfa.verify({ ...asked, code: getCode(server, app.secret) })).error?.code;
    expect(await verify()).toBe('mfa_challenge_expired');
    expect(await verify()).toBe('mfa_factor_not_found');
  });

  test('Asked from one address, answered from another, or answered before → 422 mfa_ip_address_mismatch (contract §1.4)', async () => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const { data } = await me.client.auth.mfa.challenge({ factorId: app.factorId });
    const body = { challenge_id: data?.id, code: getCode(server, app.secret) };
    const verify = (from: string, token = me.session.access_token): Promise<unknown[]> =>
      answer(
        server.call('POST', `/factors/${app.factorId}/verify`, body, {
          authorization: `Bearer ${token}`,
          'x-forwarded-for': from,
        }),
      );
    expect(await verify('203.0.113.8')).toEqual([422, 'mfa_ip_address_mismatch']);
    expect(await verify('127.0.0.1')).toEqual([200, null]);
    expect(await verify('127.0.0.1')).toEqual([422, 'mfa_ip_address_mismatch']);
  });

  test('another user’s factor and challenge are not found', async () => {
    const [mine, theirs] = [await enter(server), await enter(server)];
    const [my, their] = [await enrolApp(mine), await enrolApp(theirs)];
    const { data } = await theirs.client.auth.mfa.challenge({ factorId: their.factorId });
    const code = getCode(server, my.secret);
    const foreign = await mine.client.auth.mfa.challenge({ factorId: their.factorId });
    expect(foreign.error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
    const crossed = await mine.client.auth.mfa.verify({ factorId: my.factorId, challengeId: data?.id ?? '', code });
    expect(crossed.error).toMatchObject({ status: 422, code: 'mfa_factor_not_found' });
    const removed = await mine.client.auth.mfa.unenroll({ factorId: their.factorId });
    expect(removed.error?.status).toBe(404);
  });

  test.each([
    [{ challenge_id: randomUUID() }, 400, 'validation_failed'],
    [{ challenge_id: randomUUID(), code: '' }, 400, 'validation_failed'],
    [{ code: '123456' }, 422, 'mfa_factor_not_found'],
    [{ challenge_id: 'keine', code: '123456' }, 400, 'bad_json'],
    [{ challenge_id: randomUUID(), code: 123_456 }, 400, 'bad_json'],
    [{ challenge_id: randomUUID(), code: '123456', webauthn: 'x' }, 400, 'bad_json'],
    ['{', 400, 'bad_json'],
  ])('verify %j → %i %s', async (body, status, code) => {
    const me = await enter(server);
    const { factorId } = await enrolApp(me);
    expect(await answer(server.call('POST', `/factors/${factorId}/verify`, body, bearer(me)))).toEqual([status, code]);
  });

  test.each(['challenge', 'verify', ''])('/factors/keine/%s → 404 validation_failed', async (route) => {
    const me = await enter(server);
    const method = route === '' ? 'DELETE' : 'POST';
    const body = { challenge_id: randomUUID(), code: '1' };
    const path = `/factors/keine${route === '' ? '' : `/${route}`}`;
    const call = server.call(method, path, method === 'DELETE' ? undefined : body, bearer(me));
    expect(await answer(call)).toEqual([404, 'validation_failed']);
  });
});

describe('§7 DELETE /factors/{id}', () => {
  test('with aal2: deleted, and the next token is at aal1', async () => {
    const me = await enterWithApp(server);
    expect((await me.client.auth.mfa.unenroll({ factorId: me.app.factorId })).data).toEqual({ id: me.app.factorId });
    const { data } = await me.client.auth.refreshSession();
    expect(decodeJwt(data.session?.access_token ?? '')).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] });
    expect(data.user?.factors).toBeUndefined();
  });

  test('A verified one without aal2 → 422 insufficient_aal; one that never counted may go (contract §1.4)', async () => {
    const me = await enterWithApp(server);
    const low = await enter(server, me);
    const { error } = await low.client.auth.mfa.unenroll({ factorId: me.app.factorId });
    expect(error).toMatchObject({ status: 422, code: 'insufficient_aal' });
    const fresh = await enter(server);
    const app = await enrolApp(fresh);
    expect((await fresh.client.auth.mfa.unenroll({ factorId: app.factorId })).error).toBeNull();
  });
});

describe('§7 PUT /user with a second factor', () => {
  test('Password and address need aal2 → 401 insufficient_aal; the name does not (contract §1.4)', async () => {
    const me = await enterWithApp(server);
    const low = await enter(server, me);
    for (const change of [{ password: 'ein neues Passwort' }, { email: `neu-${me.id}@beispiel.test` }]) {
      expect((await low.client.auth.updateUser(change)).error).toMatchObject({ status: 401, code: 'insufficient_aal' });
    }
    expect((await low.client.auth.updateUser({ data: { name: 'Ada' } })).error).toBeNull();
    const { data, error } = await me.client.auth.updateUser({ password: 'ein neues Passwort' });
    expect([error, data.user?.factors?.length]).toEqual([null, 1]);
  });
});

describe('contract §1.4 factors for the administration', () => {
  test('list and delete: removes a lost factor', async () => {
    const me = await enterWithApp(server);
    const { admin } = server.service().auth;
    const { data } = await admin.mfa.listFactors({ userId: me.id });
    expect(data?.factors).toMatchObject([{ id: me.app.factorId, status: 'verified', factor_type: 'totp' }]);
    expect(JSON.stringify(data)).not.toContain('secret');
    const removed = await admin.mfa.deleteFactor({ id: me.app.factorId, userId: me.id });
    // The official client hands on its own envelope here.
    expect(removed).toMatchObject({ data: { data: { id: me.app.factorId } }, error: null });
    const again = await enter(server, me);
    const { data: level } = await again.client.auth.mfa.getAuthenticatorAssuranceLevel();
    expect(level).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
    const refreshed = await me.client.auth.refreshSession();
    expect(decodeJwt(refreshed.data.session?.access_token ?? '')['aal']).toBe('aal1');
  });

  test('PUT …/:factor_id: another name; upstream’s answers to a taken and to an endless one', async () => {
    const me = await enterWithApp(server);
    const second = await enrolApp(me, 'Zweite');
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
    const rename = (body: object) =>
      server.call('PUT', `/admin/users/${me.id}/factors/${second.factorId}`, body, headers);
    const changed = await rename({ friendly_name: 'Tablet', phone: '+491701234567' });
    // Only a phone has a number.
    const renamed = { id: second.factorId, friendly_name: 'Tablet', status: 'unverified', factor_type: 'totp' };
    expect(await changed.json()).toEqual({
      ...renamed,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await answer(rename({ friendly_name: 'App' }))).toEqual([422, 'mfa_factor_name_conflict']);
    expect(await answer(rename({ friendly_name: 'x'.repeat(256) }))).toEqual([400, 'validation_failed']);
    const { data } = await server.service().auth.admin.mfa.listFactors({ userId: me.id });
    expect(data?.factors.map(({ friendly_name }) => friendly_name).toSorted()).toEqual(['App', 'Tablet']);
  });

  test('npm run user -- factors does the same by hand', async () => {
    const me = await enterWithApp(server);
    const command = readCommand(['factors', me.email.toUpperCase()]);
    if (command.kind === 'help') throw new Error('not understood');
    expect(await runCommand(server.service(), command)).toContain(`Zweite Faktoren von ${me.email} entfernt: 1.`);
    expect((await me.client.auth.getUser()).data.user?.factors).toBeUndefined();
  });

  test.each([
    ['keine', undefined, 404, 'validation_failed'],
    [randomUUID(), undefined, 404, 'user_not_found'],
    ['own', 'keine', 404, 'validation_failed'],
    ['own', randomUUID(), 404, 'mfa_factor_not_found'],
  ])('user %s factor %s → %i %s', async (user, factor, status, code) => {
    const { id } = await enter(server);
    const path = `/admin/users/${user === 'own' ? id : user}/factors${factor === undefined ? '' : `/${factor}`}`;
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
    const call = server.call(factor === undefined ? 'GET' : 'DELETE', path, undefined, headers);
    expect(await answer(call)).toEqual([status, code]);
  });

  test('refuses other callers', async () => {
    const me = await enterWithApp(server);
    const path = `/admin/users/${me.id}/factors`;
    expect(await answer(server.call('GET', path, undefined, bearer(me)))).toEqual([403, 'not_admin']);
    expect(await answer(server.call('DELETE', `${path}/${me.app.factorId}`, undefined, bearer(me)))).toEqual([
      403,
      'not_admin',
    ]);
  });
});

describe('the audit log', () => {
  test('every step is noted with ids, nothing of it opens anything', async () => {
    const me = await enter(server);
    const app = await enrolApp(me);
    const wrong = getCode(server, app.secret, 9);
    await me.client.auth.mfa.challengeAndVerify({ factorId: app.factorId, code: wrong });
    await proveApp(server, me, app);
    await me.client.auth.mfa.unenroll({ factorId: app.factorId });
    const rows = await server.sql(
      `select payload from auth.audit_log_entries where payload -> 'traits' ->> 'factor_id' = $1 order by created_at`,
      [app.factorId],
    );
    const actions = rows.map(({ payload }) => (payload as { action: string }).action);
    expect(actions.toSorted()).toEqual(
      [
        'factor_in_progress',
        'challenge_created',
        'verification_failed',
        'challenge_created',
        'verification_attempted',
        'factor_unenrolled',
      ].toSorted(),
    );
    for (const secret of [app.secret, wrong, me.email]) expect(JSON.stringify(rows)).not.toContain(secret);
  });
});
