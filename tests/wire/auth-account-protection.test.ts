import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '#tests/support/accounts.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { getClaims } from '#tests/support/auth-pkce.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { newPassword } from '#tests/support/people.ts';
import { enter, enterWithApp, enrolApp, proveApp } from '#tests/support/second-factors.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('This project’s supabase/config.toml', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await bootServer()));
  afterAll(() => server.stop());

  test('A new password needs the present one (ASVS 6.2.3)', async () => {
    const { client, password: present } = await createUser(server, { role: 'firma_a' });
    const password = newPassword();
    expect((await client.auth.updateUser({ password })).error?.code).toBe('current_password_required');
    const wrong = await client.auth.updateUser({ password, current_password: newPassword() });
    expect(wrong.error?.code).toBe('current_password_invalid');
    expect((await client.auth.updateUser({ password, current_password: present })).error).toBeNull();
  });

  test.each(['1q2w3e4r5t6y', 'California', 'DRAGON123456', 'qwertyuiop'])(
    'The common password %s is refused (ASVS 6.2.4)',
    async (password) => {
      const { client, password: present } = await createUser(server, { role: 'firma_a' });
      const changed = await client.auth.updateUser({ password, current_password: present });
      expect(changed.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['pwned'] });
      const email = `${randomUUID()}@beispiel.test`;
      const made = await server.service().auth.admin.createUser({ email, password });
      expect(made.error).toMatchObject({ status: 422, code: 'weak_password' });
    },
  );

  test('A password made of the words of supabase/config.toml is refused (ASVS 6.2.11)', async () => {
    const admin = server.service().auth.admin;
    const create = (password: string) => admin.createUser({ email: `${randomUUID()}@beispiel.test`, password });
    for (const password of ['Testnormec2026', 'VDI-Redaktion-1', 'S0cial-Med1a-99']) {
      expect((await create(password)).error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['pwned'] });
    }
    expect((await create('Neun Kraniche im VDI')).error).toBeNull();
  });
});

describe('Sessions by supabase/config.toml (ASVS 7.3.1, 7.3.2, 7.5.1)', () => {
  let server: AuthBackend;
  beforeAll(async () => void (server = await bootAuthBackend({ clock: 'frozen' })));
  afterAll(() => server.stop());

  test('A session unused for two hours is not refreshed', async () => {
    const { client } = await enter(server);
    server.advance(2 * HOUR - MINUTE);
    expect((await client.auth.refreshSession()).error).toBeNull();
    server.advance(2 * HOUR + MINUTE);
    expect((await client.auth.refreshSession()).error?.code).toBe('session_expired');
  });

  test('A session ends after twelve hours however much it is used, and its last access token with it', async () => {
    const { client, session } = await enter(server);
    const begun = server.now();
    expect(session.expires_in).toBe(3_600);
    for (let hours = 0; hours < 11.5; hours += 1.15) {
      server.advance(1.15 * HOUR);
      expect((await client.auth.refreshSession()).error).toBeNull();
    }
    const { data } = await client.auth.getSession();
    const end = Math.floor((begun + 12 * HOUR) / 1_000);
    expect(Math.abs(Number(getClaims(data.session?.access_token)['exp']) - end)).toBeLessThanOrEqual(1);
    server.advance(HOUR);
    expect((await client.auth.refreshSession()).error?.code).toBe('session_expired');
  });

  test('A factor is set up soon after the login only; another login or a shown factor opens the way again', async () => {
    const person = await enter(server);
    server.advance(16 * MINUTE);
    const late = await person.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
    expect(late.error).toMatchObject({ status: 400, code: 'reauthentication_needed' });
    const again = await enter(server, person);
    await proveApp(server, again, await enrolApp(again));
    const withApp = await enterWithApp(server);
    server.advance(16 * MINUTE);
    expect((await withApp.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Zweite' })).error).toBeNull();
  });
});
