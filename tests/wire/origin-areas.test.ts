import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, createAccount, login, newKey, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.stop());

/** Whose contribution it is, who says where it was begun, what is said, and what the database makes of it. */
const MATRIX = [
  ['firma_a', 'owner', 'firma-b', 'firma-a'],
  ['firma_a', 'owner', 'generic', 'firma-a'],
  ['firma_b', 'owner', 'firma-a', 'firma-b'],
  ['testnormec', 'owner', 'generic', 'testnormec'],
  ['vdi_admin', 'owner', 'testnormec', 'generic'],
  ['admin', 'owner', 'firma-b', 'firma-b'],
  ['admin', 'owner', 'generic', 'generic'],
  ['firma_a', 'guest with the link', 'firma-b', 'firma-a'],
  ['testnormec', 'guest with the link', 'generic', 'testnormec'],
  ['admin', 'guest with the link', 'firma-b', 'generic'],
  ['firma_a', 'member of firma_b with the link', 'firma-b', 'firma-a'],
  ['firma_a', 'admin with the link', 'firma-b', 'firma-a'],
  ['nobody', 'guest with the link', 'firma-a', 'generic'],
  ['nobody', 'member of firma_b with the link', 'firma-b', 'generic'],
  ['nobody', 'admin with the link', 'firma-b', 'generic'],
  ['nobody', 'login without a role', 'firma-b', 'generic'],
] as const;

test.each(MATRIX)(
  'The area of a contribution of %s follows from its owner: %s says %s → %s (D2)',
  async (of, by, said, area) => {
    const { database } = server.backend;
    const key = newKey();
    const owner = of === 'nobody' ? undefined : await createAccount(server.databaseUrl, of);
    const id = await createInterview(database, owner === undefined ? anon(key) : login(owner, key));
    const caller = by === 'owner' && owner !== undefined ? login(owner) : await callerBy(by, key);
    await database.asCaller(caller, (tx) =>
      tx.query('insert into public.contribution_origins (interview_id, area) values ($1, $2)', [id, said]),
    );
    const { rows } = await database.asOwner((tx) =>
      tx.query('select area from public.contribution_origins where interview_id = $1', [id]),
    );
    expect(rows).toEqual([{ area }]);
  },
);

async function callerBy(by: (typeof MATRIX)[number][1], key: string) {
  const account = (role?: Account['role']) => createAccount(server.databaseUrl, role);
  if (by === 'member of firma_b with the link') return login(await account('firma_b'), key);
  if (by === 'admin with the link') return login(await account('admin'), key);
  if (by === 'login without a role') return login(await account(), key);
  return anon(key);
}
