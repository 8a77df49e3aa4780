import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { COMPLETE, mailDesk, queued } from '#tests/support/desk-mail.ts';
import { must } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import type { SmtpScript } from '#tests/support/smtp-server.ts';

/** Receipts for contributors. Team addresses keep the team's mails apart. */
const TEAM = ['team@haus.test'];
let server: TestServer;
let ada: TestUser;
const { mailServer, sender, mailEvents } = mailDesk(() => ({ server, ada }));

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  await server.deskMail?.idle();
  await server.deskMail?.stop();
});
afterAll(() => server.stop());
beforeEach(() => asOwner(server.databaseUrl, (client) => client.query('delete from interviews')));

/** Refuses every recipient but the first ones. */
function refuseAfter(accepted: number): () => string | undefined {
  let asked = 0;
  return () => ((asked += 1) > accepted ? '550 5.1.1 no such user' : undefined);
}

/** A sender that has said that one address gets so many receipts. */
async function openSender(perDay: number | null, script: SmtpScript = {}) {
  const smtp = await mailServer(script);
  const mails = sender(smtp, TEAM);
  await mails.round();
  await must(server.service().rpc('receipt_mail_configure', { per_day: perDay }));
  const listReceipts = () => smtp.received.filter(({ recipient }) => recipient !== TEAM[0]);
  return { smtp, mails, listReceipts };
}

test('A complete contribution brings one receipt with what arrived, and no typed name (receipts)', async () => {
  const { mails, listReceipts } = await openSender(5);
  const id = await contribute(server, { ...COMPLETE, transcript: 'Die Pumpe läuft wieder', firstName: 'Kauf jetzt' });
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('update interviews set contact_email = null where id = $1', [id]);
    await client.query('update interviews set contact_email = $2 where id = $1', [id, COMPLETE.email]);
  });
  await mails.round();
  const [receipt, ...others] = listReceipts();
  expect(others).toEqual([]);
  expect(receipt?.recipient).toBe(COMPLETE.email);
  expect(receipt?.text).toContain('Text: 4 Wörter');
  expect(receipt?.text).toContain(`Content-ID: ${id}`);
  expect(receipt?.text).not.toContain('Kauf jetzt');
  expect(await mailEvents(id)).toMatchObject([{ from: 'receipt', to: 'sent' }]);
});

test('One address gets so many receipts a day, and the desk sees which were held back (receipts)', async () => {
  const { mails, listReceipts } = await openSender(2);
  const ids: number[] = [];
  for (let at = 0; at < 3; at += 1)
    ids.push(await contribute(server, { ...COMPLETE, email: at === 1 ? 'MIRA@beispiel.test' : COMPLETE.email }));
  const other = await contribute(server, { ...COMPLETE, email: 'ada@beispiel.test' });
  await mails.round();
  expect(listReceipts().map(({ recipient }) => recipient.toLowerCase())).toEqual([
    COMPLETE.email,
    COMPLETE.email,
    'ada@beispiel.test',
  ]);
  expect(await mailEvents(ids[2] ?? 0)).toMatchObject([{ from: 'receipt', to: 'limited' }]);
  expect(await mailEvents(other)).toMatchObject([{ from: 'receipt', to: 'sent' }]);
});

const setAddress = (id: number, email: string | null) =>
  asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set contact_email = $2 where id = $1', [id, email]),
  );

test('One address gets no more receipts where contributions change theirs afterwards (receipts)', async () => {
  const { mails, listReceipts } = await openSender(1);
  const first = await contribute(server, COMPLETE);
  await mails.round();
  await setAddress(first, 'andere@beispiel.test');
  const second = await contribute(server, COMPLETE);
  await mails.round();
  expect(listReceipts().map(({ recipient }) => recipient)).toEqual([COMPLETE.email]);
  expect(await mailEvents(second)).toMatchObject([{ from: 'receipt', to: 'limited' }]);
});

test('A receipt goes to no other address than the one it was counted for (receipts)', async () => {
  const { mails, listReceipts } = await openSender(1);
  const changed = await contribute(server, { ...COMPLETE, email: 'eigene@beispiel.test' });
  await setAddress(changed, COMPLETE.email);
  const written = await contribute(server, { ...COMPLETE, email: 'ada@beispiel.test' });
  await setAddress(written, 'ADA@beispiel.test');
  await mails.round();
  expect(listReceipts().map(({ recipient }) => recipient)).toEqual(['ADA@beispiel.test']);
  expect(await mailEvents(changed)).toMatchObject([{ from: 'receipt', to: 'no_address' }]);
});

test('A receipt that the mail server refuses is seen at the desk, and nothing else is lost (receipts)', async () => {
  // The team's mail is the first one.
  const { mails } = await openSender(5, { recipient: refuseAfter(1) });
  const id = await contribute(server, COMPLETE);
  await mails.round();
  expect(await mailEvents(id)).toMatchObject([{ from: 'receipt', to: 'refused' }]);
  const states = (await queued(server, id)).map(({ mail, state }) => [mail, state] as const);
  expect(Object.fromEntries(states)).toEqual({ new: 'sent', receipt: 'refused' });
});

test('No receipt without a server that sends them (receipts)', async () => {
  await openSender(null);
  const id = await contribute(server, COMPLETE);
  expect((await queued(server, id)).map(({ mail }) => mail)).toEqual(['new']);
});
