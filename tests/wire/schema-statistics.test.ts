import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import {
  anon,
  asOwner,
  attempt,
  createAccount,
  createAccounts,
  login,
  newKey,
  getRows,
  service,
  type Account,
} from '#tests/support/callers.ts';
import { createContribution } from '#tests/support/factories.ts';
import type { Role } from '#contract/roles.ts';

let server: TestServer;
let accounts: Readonly<Record<Role, Account>>;
let idle: Account;

const CALL = 'select * from admin_statistics()';
const INTERVIEWS = 1_500;

beforeAll(async () => {
  server = await bootServer();
  accounts = await createAccounts(server.databaseUrl);
  idle = await createAccount(server.databaseUrl, 'firma_a');
  const second = await createAccount(server.databaseUrl, 'firma_a');
  await asOwner(server.databaseUrl, async (client) => {
    await client.query(
      `insert into interviews (user_id, user_email, created_at) select $1, 'x@y', '2026-01-01Z'
        from generate_series(1, $2::int)`,
      [accounts.firma_a.id, INTERVIEWS],
    );
    await client.query(
      `insert into media_uploads (interview_id, file_path, file_type, created_at)
       select id, id || '/' || n || '.png', 'image/png', '2026-01-02Z' from interviews, generate_series(1, 2) as n`,
    );
    await client.query(`update auth.users set email = null where id = $1`, [accounts.firma_b.id]);
  });
  for (const caller of [login(second), login(accounts.firma_b), login(accounts.vdi_admin), anon(newKey())])
    await createContribution(server.backend.database, caller);
});
afterAll(() => server.stop());

async function statistics() {
  const rows = await getRows(server.backend.database, login(accounts.admin), CALL);
  return rows as {
    role: string;
    total_interviews: string;
    total_media_uploads: string;
    active_users: string;
    users: { user_id: string; [field: string]: unknown }[];
  }[];
}

describe('D13 admin_statistics', () => {
  test('has one row for each role of §3, in its order', async () => {
    expect((await statistics()).map((row) => row.role)).toEqual(['firma_a', 'firma_b', 'testnormec', 'admin']);
  });

  test('is right beyond the 1,000 rows an API hands out', async () => {
    const [firmaA, firmaB, testnormec, admin] = await statistics();
    expect(firmaA).toMatchObject({ total_interviews: '1501', total_media_uploads: '3001', active_users: '2' });
    expect(firmaB).toMatchObject({ total_interviews: '1', total_media_uploads: '1', active_users: '1' });
    expect(testnormec).toMatchObject({ total_interviews: '0', total_media_uploads: '0', active_users: '0' });
    expect(admin).toMatchObject({ total_interviews: '1', total_media_uploads: '1', active_users: '1' });
  });

  test('counts both roles of the association in its area, each user with the own role', async () => {
    const users = (await statistics())[3]?.users ?? [];
    expect(users).toMatchObject([
      { user_id: accounts.vdi_admin.id, role: 'vdi_admin', interviews_count: 1 },
      { user_id: accounts.admin.id, role: 'admin', interviews_count: 0 },
    ]);
  });

  test('Lists the users of a role by activity, each with the fields of §3 (§9)', async () => {
    const users = (await statistics())[0]?.users ?? [];
    expect(users).toHaveLength(3);
    expect(users[0]).toEqual({
      user_id: accounts.firma_a.id,
      user_email: accounts.firma_a.email,
      role: 'firma_a',
      interviews_count: INTERVIEWS,
      media_uploads_count: 2 * INTERVIEWS,
      last_activity: '2026-01-02T00:00:00+00:00',
    });
    expect(users[1]).toMatchObject({ interviews_count: 1, media_uploads_count: 1 });
    expect(users[2]).toMatchObject({ user_id: idle.id, interviews_count: 0, last_activity: null });
  });

  test('Forgets what is deleted: a file, then its contribution', async () => {
    const member = accounts.testnormec;
    const userOf = async () => (await statistics())[2]?.users.find((user) => user.user_id === member.id);
    const remove = (sql: string) => asOwner(server.databaseUrl, (client) => client.query(sql, [member.id]));
    await createContribution(server.backend.database, login(member));
    await remove(`update media_uploads set created_at = '2126-01-01Z'
      where interview_id in (select id from interviews where user_id = $1)`);
    const latest = { last_activity: '2126-01-01T00:00:00+00:00' };
    expect(await userOf()).toMatchObject({ interviews_count: 1, media_uploads_count: 1, ...latest });
    await remove('delete from media_uploads where interview_id in (select id from interviews where user_id = $1)');
    expect(await userOf()).toMatchObject({ interviews_count: 1, media_uploads_count: 0 });
    expect(await userOf()).not.toMatchObject(latest);
    await remove('delete from interviews where user_id = $1');
    expect(await userOf()).toMatchObject({ interviews_count: 0, media_uploads_count: 0, last_activity: null });
  });

  test("An account without an e-mail address is 'Unbekannt' (§3)", async () => {
    expect((await statistics())[1]?.users).toMatchObject([{ user_email: 'Unbekannt' }]);
  });

  test('threat 4: only an admin may call it, and the service', async () => {
    const { database } = server.backend;
    const refused = { kind: 'refused', code: '42501', message: 'permission denied for function admin_statistics' };
    const others = ROLES_WITHOUT.map((role) => login(accounts[role]));
    for (const caller of [anon(), anon(newKey()), login(await createAccount(server.databaseUrl)), ...others])
      expect(await attempt(database, caller, CALL)).toEqual(refused);
    expect(await attempt(database, service(), CALL)).toMatchObject({ count: 4 });
  });

  test('runs in a read-only transaction, as GET and rpc with get send it', async () => {
    const caller = { ...login(accounts.admin), readOnly: true };
    expect(await attempt(server.backend.database, caller, CALL)).toMatchObject({ count: 4 });
  });
});

const ROLES_WITHOUT = ['firma_a', 'firma_b', 'testnormec', 'vdi_admin'] as const;
