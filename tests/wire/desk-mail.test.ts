import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { anon, asOwner, newKey, getRows } from '#tests/support/callers.ts';
import { COMPLETE, mailDesk, queued } from '#tests/support/desk-mail.ts';
import { change, contribute } from '#tests/support/desk.ts';
import { createInterview, SAVE_CONTACT } from '#tests/support/factories.ts';

/** Mails of the desk: who hears of what, and that nothing in a mail is more than text. */
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

describe('Desk: mail to the team', () => {
  test('Mails every administrator once a contribution is complete', async () => {
    const smtp = await mailServer();
    const grace = await createUser(server, { role: 'admin' });
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    expect(await queued(server, id)).toEqual([]);
    await getRows(server.backend.database, anon(key), SAVE_CONTACT, [id]);
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient).toSorted()).toEqual([ada.email, grace.email].toSorted());
    const [mail] = smtp.received;
    expect(mail).toMatchObject({
      sender: 'post@haus.test',
      subject: `Neuer Beitrag ${id}: Medien-Upload von Ada Lovelace`,
    });
    expect(mail?.text).toContain(`https://beitraege.test/admin/eingang/${id}`);
    expect(mail?.text).toContain('Art: Medien-Upload');
    expect(mail?.html).toContain(`href="https://beitraege.test/admin/eingang/${id}"`);
    expect(await mailEvents(id)).toEqual([]);
    await server.service().auth.admin.deleteUser(grace.id);
  });

  test('Mails only DESK_MAIL_TO, which also receives replies', async () => {
    const smtp = await mailServer();
    const team = sender(smtp, ['team@haus.test', 'Chefin@haus.test']);
    await team.round();
    const id = await contribute(server, COMPLETE);
    await change(ada.client, { id, version: 1, change: { state: 'published', url: 'https://beispiel.test/p' } });
    await team.round();
    expect(smtp.received.map(({ recipient, replyTo }) => `${recipient} ${replyTo}`).toSorted()).toEqual([
      'chefin@haus.test ',
      'mira@beispiel.test team@haus.test',
      'team@haus.test ',
    ]);
    await sender(smtp).round();
  });

  test('Sends nothing to a revoked administrator', async () => {
    const smtp = await mailServer();
    const grace = await createUser(server, { role: 'admin' });
    await contribute(server, COMPLETE);
    await asOwner(server.databaseUrl, (client) =>
      client.query('delete from user_roles where user_id = $1', [grace.id]),
    );
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual([ada.email]);
  });

  test.each(['queueing', 'sending'])('Sends nothing to an administrator who is locked before %s', async (moment) => {
    const smtp = await mailServer();
    const grace = await createUser(server, { role: 'admin' });
    const lock = async () => {
      const call = await accountsApi(server.url, ada);
      expect(await call('PATCH', `/${grace.id}`, { locked: true })).toMatchObject({ status: 200 });
    };
    if (moment === 'queueing') await lock();
    const id = await contribute(server, COMPLETE);
    expect(await queued(server, id)).toHaveLength(moment === 'queueing' ? 1 : 2);
    if (moment === 'sending') await lock();
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual([ada.email]);
    await server.service().auth.admin.deleteUser(grace.id);
  });

  test('Sends nothing to an administrator who has not accepted the invitation', async () => {
    const smtp = await mailServer();
    const call = await accountsApi(server.url, ada);
    const email = 'eingeladen@beispiel.test';
    const invited = await call('POST', '', { email, role: 'admin', by: 'invite' });
    expect(invited.status).toBe(201);
    const id = await contribute(server, COMPLETE);
    expect(await queued(server, id)).toHaveLength(1);
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual([ada.email]);
    await asOwner(server.databaseUrl, (client) => client.query('delete from auth.users where email = $1', [email]));
  });
});

describe('Desk: mail to the contributor', () => {
  test("Sends the team's text for review with its author as reply address", async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    await sender(smtp).round();
    expect(smtp.received).toHaveLength(1);
    expect(smtp.received[0]).toMatchObject({
      recipient: 'mira@beispiel.test',
      replyTo: ada.email,
      subject: `Dein Beitrag ${id}: bitte einmal durchsehen`,
    });
    expect(smtp.received[0]?.text).toBe(`Hallo Mira,\n\nbitte lies.\n\nContent-ID ${id} · Assistent\n`);
    expect(await mailEvents(id)).toMatchObject([{ from: 'for_review', to: 'sent', text: null, by: '' }]);
  });

  test('Sends the default text for review', async () => {
    const smtp = await mailServer();
    const id = await contribute(server, COMPLETE);
    await change(ada.client, { id, version: 1, change: { state: 'for_review' } });
    await sender(smtp).round();
    expect(smtp.received.find(({ recipient }) => recipient === 'mira@beispiel.test')?.text).toContain('Hallo Mira,');
  });

  test('Sends each published link once', async () => {
    const smtp = await mailServer();
    const id = await contribute(server, { ...COMPLETE, email: 'nur@beispiel.test' });
    const mails = sender(smtp);
    const url = 'https://beispiel.test/post?a=1&b=<2>'.replace(/[<>]/g, '');
    for (const [version, wanted] of [
      { state: 'published', url } as const,
      { state: 'in_progress' } as const,
      { state: 'published', url } as const,
      { state: 'published', url: 'https://beispiel.test/neu' } as const,
    ].entries()) {
      await change(ada.client, { id, version: version + 1, change: wanted });
      await mails.round();
    }
    const told = smtp.received.filter(({ recipient }) => recipient === 'nur@beispiel.test');
    expect(told.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 2 }, () => `Dein Beitrag ${id} ist veröffentlicht`),
    );
    expect(told[0]?.text).toContain(url);
    expect(told[0]?.html).toContain('href="https://beispiel.test/post?a=1&amp;b=2"');
    expect(told[1]?.text).toContain('https://beispiel.test/neu');
  });

  test("Falls back to the account's address, then to an event", async () => {
    const smtp = await mailServer();
    const account = await contribute(server, { userEmail: 'konto@beispiel.test' });
    const nobody = await contribute(server);
    for (const id of [account, nobody])
      await change(ada.client, { id, version: 1, change: { state: 'for_review', text: 'x' } });
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['konto@beispiel.test']);
    expect(await mailEvents(nobody)).toMatchObject([{ from: 'for_review', to: 'no_address' }]);
  });
});

describe('Desk: input in mails', () => {
  test('Escapes names and texts in headers and HTML', async () => {
    const smtp = await mailServer();
    const evil = '=HYPERLINK("x")\r\nBcc: opfer@beispiel.test\r\n\r\n<img src=x onerror=alert(1)>\u202e';
    const id = await contribute(server, { ...COMPLETE, firstName: evil, lastName: 'x'.repeat(150) });
    await change(ada.client, {
      id,
      version: 1,
      change: { state: 'for_review', text: `<script>alert(1)</script>\r\n.\r\nBcc: x@y.test` },
    });
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient).toSorted()).toEqual(
      [ada.email, 'mira@beispiel.test'].toSorted(),
    );
    for (const mail of smtp.received) {
      expect(mail.subject).not.toMatch(/[\r\n\u202e]/);
      expect(mail.subject.length).toBeLessThan(200);
      expect(mail.html).not.toMatch(/<script|<img/);
    }
    const review = smtp.received.find(({ recipient }) => recipient === 'mira@beispiel.test');
    expect(review?.text).toContain('<script>alert(1)</script>\n.\nBcc: x@y.test');
    expect(review?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;<br>');
  });

  test.each(['a,b@beispiel.test', 'x>@beispiel.test', '"x"@beispiel.test', 'müller@beispiel.test', 'a@bei<spiel.test'])(
    'an address like %s is no mailbox: nothing goes out, and the desk is told',
    async (email) => {
      const smtp = await mailServer();
      const id = await reviewed({ email });
      await sender(smtp).round();
      expect(smtp.received).toEqual([]);
      expect(await mailEvents(id)).toMatchObject([{ to: 'refused', text: null }]);
    },
  );

  test('Accepts a host name with an umlaut', async () => {
    const smtp = await mailServer();
    await reviewed({ email: 'mira@bücher.test' });
    await sender(smtp).round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['mira@xn--bcher-kva.test']);
  });
});

describe('Desk: mail queue', () => {
  test('Allows only the service key', async () => {
    const member = await createUser(server, { role: 'firma_a' });
    const calls: readonly (readonly [string, object])[] = [
      ['desk_mail_configure', { addresses: ['x@y.test'] }],
      ['desk_mail_set_pause', { seconds: 0 }],
      ['desk_mail_claim', {}],
      ['desk_mail_begin', { id: 1, claim: ada.id }],
      ['desk_mail_settle', { id: 1, claim: ada.id, outcome: 'sent' }],
    ];
    for (const client of [server.client(), member.client, ada.client])
      for (const [name, args] of calls) expect((await client.rpc(name, args)).error?.code).toBe('42501');
    const nonsense = { id: 1, claim: ada.id, outcome: 'lost' };
    expect((await server.service().rpc('desk_mail_settle', nonsense)).error?.code).toBe('22023');
  });

  test('Erases queued mails with their contribution', async () => {
    const smtp = await mailServer();
    const id = await reviewed();
    const { data } = await server.service().rpc('desk_mail_claim');
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
    expect((await server.service().rpc('desk_mail_begin', { id: data.id, claim: data.claim })).data).toBe(false);
    expect(
      (await server.service().rpc('desk_mail_settle', { id: data.id, claim: data.claim, outcome: 'later' })).error,
    ).toBeNull();
    await sender(smtp).round();
    expect(smtp.received).toEqual([]);
  });

  test('Stays empty without a sender', async () => {
    await asOwner(server.databaseUrl, (client) =>
      client.query(`delete from private.settings where name = 'desk_mail'`),
    );
    const id = await contribute(server, COMPLETE);
    await change(ada.client, { id, version: 1, change: { state: 'published', url: 'https://a.test' } });
    expect(await queued(server, id)).toEqual([]);
    await sender(await mailServer()).round();
    expect(await queued(server, id)).toEqual([]);
  });
});
