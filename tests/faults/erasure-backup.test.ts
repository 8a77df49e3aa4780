import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openSnapshot } from '#backend/maintenance.ts';
import { ErasureListSchema } from '#contract/desk-files.ts';
import { createUser } from '#tests/support/accounts.ts';
import { backUp, commandHere, emptyInstallation, sql, temporaryFolder } from '#tests/support/backups.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { deskApi, handIn, must } from '#tests/support/desk-calls.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { findTraces } from '#tests/support/find-traces.ts';

const WORD = 'kanarienvogel';
const FILE = { type: 'text/plain', extension: 'txt', bytes: Buffer.from(WORD.repeat(10)) };

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function arrange() {
  const server = await bootServer();
  opened.push(server.stop);
  const admin = await createUser(server, { role: 'admin' });
  const person = await createUser(server, { role: 'firma_a' });
  const { id } = await handIn(person, { transcript: WORD, files: [FILE] });
  return { server, admin, person, id, desk: await deskApi(server.url, admin) };
}

/** Takes a backup and starts a server on what is restored from it. */
async function restored(server: TestServer, archive: string): Promise<TestServer> {
  const target = await emptyInstallation();
  const { out } = await commandHere('restore', target, archive);
  // Whom no receipt names any more.
  expect(out).toMatch(/Was seit \d{4}-\d\d-\d\dT[\d:.]+Z gelöscht wurde, ist wieder da/);
  const second = await bootServer(target);
  opened.push(second.stop);
  return second;
}

const backUpTo = async ({ databaseUrl, dataDir }: TestServer): Promise<string> => {
  const archive = path.join(await temporaryFolder(), 'a.tar');
  await backUp({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }, archive);
  return archive;
};

const traces = ({ databaseUrl, dataDir }: TestServer) => findTraces({ databaseUrl, folders: [dataDir] }, [WORD]);

test('An erasure that is under way in a backup goes on after its restore (threat 20)', async () => {
  const { server, admin, id } = await arrange();
  await must(admin.client.rpc('desk_erase', { subject: { contribution: id } }));
  const second = await restored(server, await backUpTo(server));
  const receipts = () => sql(second.databaseUrl, 'select what, files::int from private.erasure_receipts');
  await expect.poll(receipts).toEqual([{ what: 'contribution', files: 1 }]);
  expect(await traces(second)).toEqual([]);
});

test('An erasure while a backup runs ends after it, and with its receipt (threat 20)', async () => {
  const { server, id, desk } = await arrange();
  const backup = await openSnapshot(server.databaseUrl);
  const begun = await desk('POST', '/v1/desk/erasures', { contribution: id });
  // 202: it fails only after the answer.
  if (begun.status !== 202) expect(begun).toMatchObject({ status: 502, code: 'erasure_unfinished' });
  const list = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);
  expect(await list()).toMatchObject({ open: [{ what: 'contribution' }], receipts: [] });
  await backup.close();
  await expect.poll(list, { interval: 500 }).toMatchObject({ open: [], receipts: [{ files: 1 }] });
  expect(await traces(server)).toEqual([]);
});

test('A backup from before an erasure brings the person back, who is erased again (threat 20, 0417)', async () => {
  const { server, admin, person, id, desk } = await arrange();
  const archive = await backUpTo(server);
  await eraseAs(desk, { email: person.email, account: true });
  expect(await traces(server)).toEqual([]);
  const second = await restored(server, archive);
  expect(await traces(second)).not.toEqual([]);
  // Its number is that of the log; the desk names address and account.
  const again = await deskApi(second.url, admin);
  expect(await sql(second.databaseUrl, 'select id::int, user_email from interviews')).toEqual([
    { id, user_email: person.email },
  ]);
  expect(await eraseAs(again, { email: person.email, account: true })).toMatchObject({ contributions: 1, accounts: 1 });
  expect(await traces(second)).toEqual([]);
});
