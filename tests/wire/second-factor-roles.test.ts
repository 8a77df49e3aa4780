import type { SupabaseClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountFailureSchema } from '#contract/accounts.ts';
import { AppConfigSchema } from '#contract/app-config.ts';
import { readEnv } from '#server/env.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';

let server: TestServer;
beforeAll(async () => void (server = await bootServer({ MFA_REQUIRED_ROLES: 'admin, firma_a' })));
afterAll(() => server.stop());

async function showSecondFactor(client: SupabaseClient): Promise<void> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
  if (error !== null) throw error;
  const code = new TOTP({ secret: Secret.fromBase32(data.totp.secret) }).generate();
  const shown = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code });
  if (shown.error !== null) throw shown.error;
}

async function accountsAs({ client }: TestUser): Promise<unknown[]> {
  const token = (await client.auth.getSession()).data.session?.access_token ?? '';
  const response = await fetch(`${server.url}/v1/accounts`, { headers: { authorization: `Bearer ${token}` } });
  const failure = AccountFailureSchema.safeParse(await response.json()).data;
  return [response.status, failure?.error.code];
}

const missing = async ({ client }: TestUser): Promise<unknown> => (await client.rpc('second_factor_missing')).data;

describe('decision 0063 a role can be told to require a second factor', () => {
  test('an administrator who has shown none has no rights, but may read the own role and set one up', async () => {
    const admin = await createUser(server, { role: 'admin' });
    expect((await admin.client.rpc('admin_statistics')).error?.code).toBe('42501');
    expect((await admin.client.rpc('admin_activity')).error?.code).toBe('42501');
    expect(await accountsAs(admin)).toEqual([403, 'second_factor_needed']);
    expect((await admin.client.from('user_roles').select('role')).data).toEqual([{ role: 'admin' }]);
    expect(await missing(admin)).toBe(true);

    await showSecondFactor(admin.client);
    expect(await missing(admin)).toBe(false);
    expect((await admin.client.rpc('admin_statistics')).error).toBeNull();
    expect((await accountsAs(admin))[0]).toBe(200);
  });

  test('a company’s member neither sees nor adds anything until then', async () => {
    const member = await createUser(server, { role: 'firma_a' });
    const insert = (): PromiseLike<{ error: { code: string } | null }> =>
      member.client.from('interviews').insert({ transcript: 'x' }).select();
    expect((await insert()).error?.code).toBe('PT401');
    await showSecondFactor(member.client);
    expect((await insert()).error).toBeNull();
    expect((await member.client.from('interviews').select('transcript')).data).toEqual([{ transcript: 'x' }]);

    const { email, password } = member;
    const again = server.client();
    await again.auth.signInWithPassword({ email, password });
    expect((await again.from('interviews').select('transcript')).data).toEqual([]);
    const files = await again.storage.from('Media').list('1');
    expect(files.data).toEqual([]);
  });

  test('other roles, and logins without one, are not asked', async () => {
    const [other, nobody] = [await createUser(server, { role: 'firma_b' }), await createUser(server)];
    expect((await other.client.from('interviews').insert({ transcript: 'y' }).select()).error).toBeNull();
    expect([await missing(other), await missing(nobody)]).toEqual([false, false]);
    expect((await server.client().rpc('second_factor_missing')).error?.code).toBe('42501');
  });

  test('the browser is told which roles', async () => {
    const config = AppConfigSchema.parse(await (await fetch(`${server.url}/config.json`)).json());
    expect(config.secondFactorRoles).toEqual(['admin', 'firma_a']);
  });

  test('the next start without the setting asks nobody any more', async () => {
    const admin = await createUser(server, { role: 'admin' });
    expect(await missing(admin)).toBe(true);
    const next = await bootServer({ DATABASE_URL: server.databaseUrl });
    expect(await missing(admin)).toBe(false);
    await next.stop();
  });

  test('a role that does not exist stops the start', () => {
    expect(() => readEnv({ MFA_REQUIRED_ROLES: 'admin,chef' })).toThrow('MFA_REQUIRED_ROLES');
    expect(readEnv({}).MFA_REQUIRED_ROLES).toEqual([]);
  });

  test('who may say so: nobody below the owner', async () => {
    const admin = await createUser(server, { role: 'firma_b' });
    expect((await admin.client.schema('private').rpc('require_second_factor', { roles: [] })).error).not.toBeNull();
  });
});
