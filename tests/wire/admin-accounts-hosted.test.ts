import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contract/roles.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';

let server: TestServer;
let admin: TestUser;

beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

const someone = (): string => `${randomUUID()}@beispiel.test`;

describe('a hosted project as the backend', () => {
  async function hosted(serviceKey?: string) {
    return bootHosted(server, serviceKey === undefined ? {} : { SUPABASE_SERVICE_KEY: serviceKey });
  }

  test('with its service key everything works; the admin’s own token decides', async () => {
    const application = await hosted(server.backend.keys.secretKey);
    try {
      const call = await accountsApi(application.url, admin);
      const made = await call('POST', '', { email: someone(), role: 'firma_a', by: 'password' });
      expect(made.status).toBe(201);
      expect((await call('DELETE', `/${made.body.account?.id}`)).status).toBe(204);
      const other = await accountsApi(application.url, await createUser(server, { role: 'vdi_admin' }));
      expect(await other('GET')).toMatchObject({ status: 403, code: 'not_admin' });
    } finally {
      await application.stop();
    }
  });

  test('without one the admin hears what is missing, and nobody else hears more than no', async () => {
    const application = await hosted();
    try {
      const call = await accountsApi(application.url, admin);
      expect(await call('GET')).toMatchObject({ status: 503, code: 'not_configured' });
      const other = await accountsApi(application.url, await createUser(server, { role: 'firma_a' }));
      expect(await other('GET')).toMatchObject({ status: 403, code: 'not_admin' });
    } finally {
      await application.stop();
    }
  });

  test('with a key that may not, the answer is 502 and no detail leaks', async () => {
    const application = await hosted('sb_secret_of_another_project');
    try {
      const answer = await (await accountsApi(application.url, admin))('GET');
      expect(answer).toMatchObject({ status: 502, code: 'backend_failed' });
      expect(answer.text).not.toContain('User not allowed');
    } finally {
      await application.stop();
    }
  });

  test('a project that is away is no refusal', async () => {
    const project = await bootServer();
    const person = await createUser(project, { role: 'admin' });
    const application = await bootHosted(project, { SUPABASE_SERVICE_KEY: project.backend.keys.secretKey });
    try {
      const call = await accountsApi(application.url, person);
      expect((await call('GET')).status).toBe(200);
      await project.stop();
      expect((await call('GET')).status).toBe(502);
    } finally {
      await application.stop();
    }
  });
});

test('the last administrator stays where two servers are asked at once', async () => {
  const project = await bootServer();
  const [a, b]: readonly TestUser[] = await Promise.all([
    createUser(project, { role: 'admin' }),
    createUser(project, { role: 'admin' }),
  ]);
  const servers = await Promise.all(
    [1, 2].map(() => bootHosted(project, { SUPABASE_SERVICE_KEY: project.backend.keys.secretKey })),
  );
  try {
    const [asA, asB] = [await accountsApi(servers[0]?.url ?? '', a), await accountsApi(servers[1]?.url ?? '', b)];
    await Promise.all([asA('PATCH', `/${b?.id}`, { role: 'firma_a' satisfies Role }), asB('DELETE', `/${a?.id}`)]);
    const { data } = await project.service().from('user_roles').select('user_id').eq('role', 'admin');
    expect(data?.length).toBeGreaterThanOrEqual(1);
  } finally {
    await Promise.all(servers.map((running) => running.stop()));
    await project.stop();
  }
});
