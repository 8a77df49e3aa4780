import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { COMPLETE, mailDesk, makeDue, queued, readClock } from '#tests/support/desk-mail.ts';
import { contribute } from '#tests/support/desk.ts';

/** Decision 0124: one mail to the team where many contributions come at once. */
let server: TestServer;
let ada: TestUser;
const { mailServer, sender } = mailDesk(() => ({ server, ada }));
const TEAM = ['team@haus.test'];
const PAUSE_S = 600;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  // The server's own sender would write files; the tests bring senders of their own.
  await server.deskMail?.idle();
  await server.deskMail?.stop();
});
afterAll(() => server.stop());
beforeEach(() => asOwner(server.databaseUrl, (client) => client.query('delete from interviews')));

async function contributeMany(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await contribute(server, COMPLETE));
  return ids;
}

/** The pause after the last mail is over. */
function endPause(): Promise<unknown> {
  const sql = `update private.desk_mails set told_at = told_at - interval '1 day'`;
  return asOwner(server.databaseUrl, (client) => client.query(sql));
}

test('Sends one mail about 200 contributions, which lists 20', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp, TEAM, PAUSE_S);
  await mails.round();
  const ids = await contributeMany(200);
  await mails.round();
  expect(smtp.received.map(({ recipient, subject }) => [recipient, subject])).toEqual([
    ['team@haus.test', '200 neue Beiträge'],
  ]);
  const [mail] = smtp.received;
  expect(mail?.text.match(/\/admin\/eingang\/\d+/g)).toEqual(ids.slice(0, 20).map((id) => `/admin/eingang/${id}`));
  expect(mail?.text).toContain(`Interview (Firma A): https://beitraege.test/admin/eingang/${ids[0]}`);
  expect(mail?.text).toContain('… und 180 weitere.');
  // A person's export holds this mail, too.
  expect(mail?.text).not.toContain('Mira');
  expect((await queued(server, ids[199] ?? 0)).map(({ state }) => state)).toEqual(['sent']);
});

test('Sends the first mail at once and one for everything during the pause', async () => {
  const smtp = await mailServer();
  const [mails, elsewhere] = [sender(smtp, TEAM, PAUSE_S), sender(smtp, TEAM, PAUSE_S)];
  await mails.round();
  const [first] = await contributeMany(1);
  const before = await readClock(server);
  await mails.round();
  expect(smtp.received.map(({ subject }) => subject)).toEqual([`Neuer Beitrag ${first}: Interview von Mira Ö`]);
  const later = await contributeMany(3);
  await Promise.all([mails.round(), elsewhere.round()]);
  expect(smtp.received).toHaveLength(1);
  expect((await queued(server, later[0] ?? 0))[0]?.dueAt).toBeGreaterThan(before + PAUSE_S / 2);
  await endPause();
  await makeDue(server);
  await Promise.all([mails.round(), elsewhere.round()]);
  expect(smtp.received.map(({ subject }) => subject)).toEqual([expect.any(String), '3 neue Beiträge']);
});

test('Records a refused mail on each of its contributions', async () => {
  const smtp = await mailServer({ recipient: () => '550 unknown' });
  const mails = sender(smtp, TEAM, PAUSE_S);
  await mails.round();
  const ids = await contributeMany(2);
  await mails.round();
  for (const id of ids) expect(await queued(server, id)).toMatchObject([{ state: 'refused', attempts: 1 }]);
});

test('Sends no mail after one of its contributions is erased', async () => {
  const mails = sender(await mailServer(), TEAM, PAUSE_S);
  await mails.round();
  const [kept, erased] = await contributeMany(2);
  const { data } = await server.service().rpc('desk_mail_claim');
  expect(data).toMatchObject({ count: 2, contribution: kept, others: [{ contribution: erased }] });
  await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [erased]));
  expect((await server.service().rpc('desk_mail_begin', { id: data.id, claim: data.claim })).data).toBe(false);
});
