import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { COMPLETE, mailDesk, makeDue, once, queued, readClock } from '#tests/support/desk-mail.ts';
import { contribute } from '#tests/support/desk.ts';
import type { SmtpScript } from '#tests/support/smtp-server.ts';
import { reservePort } from '../../scripts/reserved-port.ts';

/** Mails of the desk: never twice, and never lost while the mail server or a server of ours is away. */
let server: TestServer;
let ada: TestUser;
const { mailServer, sender, reviewed, mailEvents } = mailDesk(() => ({ server, ada }));

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  // The server's own sender would write files; the tests bring senders of their own.
  await server.deskMail?.idle();
  await server.deskMail?.stop();
});
afterAll(() => server.stop());
beforeEach(() => asOwner(server.databaseUrl, (client) => client.query('delete from interviews')));

describe('Desk: no mail twice', () => {
  test('Queues a mail once for repeated triggers', async () => {
    const smtp = await mailServer();
    const id = await contribute(server, COMPLETE);
    await asOwner(server.databaseUrl, async (client) => {
      await client.query('update interviews set contact_email = null where id = $1', [id]);
      await client.query(`update interviews set contact_email = 'mira@beispiel.test' where id = $1`, [id]);
    });
    const mails = sender(smtp);
    await mails.round();
    await makeDue(server);
    await mails.round();
    expect(smtp.received).toHaveLength(1);
  });

  test('Sends each mail once with three servers on one queue', async () => {
    const smtp = await mailServer();
    const ids = await Promise.all(Array.from({ length: 12 }, () => contribute(server, COMPLETE)));
    const servers = [sender(smtp), sender(smtp), sender(smtp)];
    await Promise.all(servers.flatMap((one) => Array.from({ length: 5 }, () => one.round())));
    const told = smtp.received.flatMap(({ text }) => [...text.matchAll(/eingang\/(\d+)/g)].map(([, id]) => Number(id)));
    expect(told.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('Sends the mail of a server that died before the first byte', async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    const claim = async () => (await server.service().rpc('desk_mail_claim')).data as { messageId: string } | null;
    const lost = await claim();
    expect(await claim()).toBeNull();
    await makeDue(server);
    await sender(smtp).round();
    expect(smtp.received.map(({ messageId }) => messageId)).toEqual([`<${lost?.messageId}@haus.test>`]);
    expect(await queued(server, id)).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });

  test("Reports 'unsure' after a server died while sending", async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    const { data } = await server.service().rpc('desk_mail_claim');
    expect((await server.service().rpc('desk_mail_begin', { id: data.id, claim: data.claim })).data).toBe(true);
    await sender(smtp).round();
    await makeDue(server);
    await sender(smtp).round();
    expect(smtp.received).toEqual([]);
    expect(await mailEvents(id)).toMatchObject([{ from: 'for_review', to: 'unsure' }]);
  });

  test('Sends to the corrected address alone, also where a server has just taken the mail (0385)', async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    const { data } = await server.service().rpc('desk_mail_claim');
    const contribution = (await ada.client.rpc('desk_contribution', { id })).data as { version: number };
    const change = { email: 'richtig@beispiel.test' };
    expect((await ada.client.rpc('desk_change', { id, version: contribution.version, change })).error).toBeNull();
    expect((await server.service().rpc('desk_mail_begin', { id: data.id, claim: data.claim })).data).toBe(false);
    await sender(smtp).round();
    expect(smtp.received.map(({ to }) => to)).toEqual(['richtig@beispiel.test']);
  });

  test('Ignores a worker whose claim has expired', async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    const { data } = await server.service().rpc('desk_mail_claim');
    await makeDue(server);
    await sender(smtp).round();
    expect((await server.service().rpc('desk_mail_begin', { id: data.id, claim: data.claim })).data).toBe(false);
    const late = { id: data.id, claim: data.claim, outcome: 'refused' };
    expect((await server.service().rpc('desk_mail_settle', late)).error).toBeNull();
    expect(await mailEvents(id)).toMatchObject([{ to: 'sent' }]);
  });
});

describe('Desk: mail server failures', () => {
  test('Retries with growing pauses while the mail server is unreachable', async () => {
    const away = await reservePort();
    onTestFinished(away.release);
    const id = await reviewed();
    const other = await reviewed();
    const mails = sender({ url: `smtp://127.0.0.1:${away.port}` });
    await mails.round();
    expect(await queued(server, id)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    expect(await queued(server, other)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    for (const waitS of [60, 120, 240]) {
      await asOwner(server.databaseUrl, (client) =>
        client.query('update private.desk_mails set due_at = clock_timestamp() where interview_id = $1', [id]),
      );
      await asOwner(server.databaseUrl, (client) =>
        client.query(
          `update private.desk_mails set due_at = clock_timestamp() + interval '1 hour' where interview_id = $1`,
          [other],
        ),
      );
      const before = await readClock(server);
      await mails.round();
      // Between the two looks at the clock, however long the round took.
      const [mail] = await queued(server, id);
      const decided = (mail?.dueAt ?? 0) - waitS;
      expect(decided).toBeGreaterThan(before);
      expect(decided).toBeLessThan(await readClock(server));
    }
    expect(mails.pauses).toEqual([10_000, 20_000, 40_000, 80_000]);
    expect(await mailEvents(id)).toEqual([]);
    const back = await mailServer({}, away.port);
    await makeDue(server);
    await mails.round();
    expect(back.received).toHaveLength(2);
    expect(mails.pauses.at(-1)).toBe(5_000);
    expect(await mailEvents(id)).toMatchObject([{ to: 'sent' }]);
  });

  test.each<[string, SmtpScript]>([
    ['is busy', { greeting: once('421 busy') }],
    ['blocks this host', { greeting: once('554 blocked') }],
    ['misses the login', { sender: once('530 authentication required') }],
    ['asks to come back later', { recipient: once('451 later') }],
    ['breaks off before the message', { data: once('hang up') }],
    ['takes it and has no room for it', { received: once('452 full') }],
  ])('Retries after a mail server that %s', async (_name, script) => {
    const smtp = await mailServer(script);
    const id = await reviewed();
    const mails = sender(smtp);
    await mails.round();
    expect(await queued(server, id)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    const before = smtp.received.length;
    await makeDue(server);
    await mails.round();
    expect(smtp.received).toHaveLength(before + 1);
    expect(await mailEvents(id)).toMatchObject([{ to: 'sent' }]);
  });

  test.each<[string, SmtpScript, string]>([
    ['550 at the address', { recipient: once('550 unknown mira@beispiel.test') }, '550'],
    ['554 at the message', { received: once('554 spam') }, '554'],
  ])('Reports %s with its code and sends the next mail', async (_name, script, code) => {
    const smtp = await mailServer(script);
    const [first, second] = [await reviewed(), await reviewed()];
    const mails = sender(smtp);
    await mails.round();
    await makeDue(server);
    await mails.round();
    expect(await mailEvents(first)).toMatchObject([{ from: 'for_review', to: 'refused', text: code }]);
    expect(await mailEvents(second)).toMatchObject([{ to: 'sent' }]);
  });

  test("Reports 'unsure' without an answer and does not retry", async () => {
    const smtp = await mailServer({ received: once('hang up') });
    const id = await reviewed();
    const mails = sender(smtp);
    await mails.round();
    await makeDue(server);
    await mails.round();
    expect(smtp.received).toHaveLength(1);
    expect(await mailEvents(id)).toMatchObject([{ to: 'unsure' }]);
  });

  test('Waits after a mail server that gave no answer, so that it takes no further mail without one', async () => {
    const smtp = await mailServer({ received: once('hang up') });
    const [first, second] = [await reviewed(), await reviewed()];
    const mails = sender(smtp);
    await mails.round();
    expect(mails.pauses).toEqual([10_000]);
    expect(await queued(server, second)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    await mails.round();
    expect(await mailEvents(first)).toMatchObject([{ to: 'unsure' }]);
    expect(await mailEvents(second)).toMatchObject([{ to: 'sent' }]);
  });

  test('Reports a mail server that is away for a week', async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    await asOwner(server.databaseUrl, (client) =>
      client.query(`update private.desk_mails set created_at = now() - interval '8 days'`),
    );
    await sender(smtp).round();
    expect(smtp.received).toEqual([]);
    expect(await mailEvents(id)).toMatchObject([{ to: 'refused', text: null }]);
  });

  test('Stops without waiting for a silent mail server', async () => {
    let greeted = (): void => undefined;
    const connected = new Promise<void>((resolve) => (greeted = resolve));
    const smtp = await mailServer({ greeting: () => (greeted(), '220-moment') });
    const id = await reviewed();
    const mails = sender(smtp);
    mails.poke();
    await connected;
    await mails.stop();
    expect(await queued(server, id)).toMatchObject([{ state: 'waiting' }]);
  });
});
