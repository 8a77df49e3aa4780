import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn, type DeskCall } from '#tests/support/desk-calls.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { BLOCKED } from '#tests/support/held-rows.ts';

let server: TestServer;
let admin: TestUser;
let desk: DeskCall;
let holder: pg.Client;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  desk = await deskApi(server.url, admin);
  holder = new pg.Client({ connectionString: server.databaseUrl });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await server.stop();
});

/** The account can be referred to, but not removed. */
async function keepAccount({ id }: TestUser): Promise<() => Promise<unknown>> {
  await holder.query('begin');
  await holder.query('select from auth.users where id = $1 for key share', [id]);
  return () => holder.query('commit');
}

const removalWaits = () => vi.waitFor(async () => expect((await holder.query(BLOCKED)).rows).not.toEqual([]));

test('Takes what a person hands in while the account goes', async () => {
  const person = await createUser(server, { role: 'firma_a' });
  await handIn(person, { transcript: 'Du: Das Erste.' });
  const giveUp = await keepAccount(person);
  const erasing = eraseAs(desk, { email: person.email, account: true });
  await removalWaits();
  await handIn(person, { transcript: 'Du: Das Letzte.' });
  await giveUp();
  expect(await erasing).toMatchObject({ contributions: 2, accounts: 1 });
  const left = await holder.query('select id from interviews where user_email = $1', [person.email]);
  expect(left.rows).toEqual([]);
});

test('An administrator whose account goes cannot take the role of the one who stays', async () => {
  const leaving = await createUser(server, { role: 'admin' });
  const call = await accountsApi(server.url, leaving);
  const giveUp = await keepAccount(leaving);
  const erasing = eraseAs(desk, { email: leaving.email, account: true });
  await removalWaits();
  expect(await call('PATCH', `/${admin.id}`, { role: 'firma_a' })).toMatchObject({ status: 403, code: 'not_admin' });
  await giveUp();
  expect(await erasing).toMatchObject({ accounts: 1 });
  expect((await holder.query('select user_id, role from user_roles')).rows).toEqual([
    { user_id: admin.id, role: 'admin' },
  ]);
});
