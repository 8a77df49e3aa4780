import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TicketSchema } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { backdateFiles, deskApi, FILES_DAY, handIn, must, TEAM, type DeskCall } from '#tests/support/desk-calls.ts';
import { mailsWritten } from '#tests/support/desk-mail.ts';
import { change, look } from '#tests/support/desk.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { reviewPost } from '#tests/support/posts.ts';
import { PNG } from '#tests/support/storage.ts';
import { unzip, type Unzipped } from '#tests/support/unzip.ts';

let server: TestServer;
let admin: TestUser;
let desk: DeskCall;

beforeAll(async () => {
  server = await bootServer(TEAM);
  admin = await createUser(server, { role: 'admin' });
  desk = await deskApi(server.url, admin);
});
afterAll(() => server.stop());

async function exportPerson(email: string, url = server.url): Promise<Unzipped> {
  const answer = await (await deskApi(url, admin))('POST', '/v1/desk/exports', { email });
  expect(answer.status).toBe(200);
  const ticket = TicketSchema.parse(answer.body);
  // The link does not contain the person's address.
  expect(ticket.url).toMatch(/^\/v1\/desk\/exports\/person\?ticket=[\w-]+$/);
  const archive = await (await deskApi(url))('GET', ticket.url);
  expect(archive.headers.get('content-disposition')).toContain('auskunft-');
  expect(await (await deskApi(url))('GET', ticket.url)).toMatchObject({ code: 'ticket_invalid' });
  return unzip(archive.bytes);
}

const readText = (files: Unzipped, name: string): string => files.get(name)?.bytes.toString() ?? '';

test('Desk: exports everything about a person', async () => {
  const person = await createUser(server, { role: 'firma_a', email: `o-neil.${randomUUID()}@beispiel.test` });
  const own = await handIn(person, {
    transcript: 'eigenes',
    files: [{ type: 'image/png', extension: 'png', bytes: PNG }],
  });
  // Each contribution in a mail of its own (decision 0124).
  await mailsWritten(server);
  const partner = await createUser(server, { role: 'firma_b' });
  const named = await handIn(partner, { transcript: 'fremdes', email: person.email.toUpperCase() });
  await mailsWritten(server);
  await handIn(partner, { transcript: 'nicht von ihm' });
  const { version } = await look(admin.client, own.id);
  await change(admin.client, { id: own.id, version, change: { note: '<b>=Notiz</b>' } });
  const key = await reviewPost(server, admin.client, named.id, 'Wellendichtung');
  await must(server.client().auth.resetPasswordForEmail(person.email));
  await expect.poll(async () => (await mailsIn(server.dataDir)).map(({ to }) => to)).toContain(person.email);

  await mailsWritten(server);
  await backdateFiles(server.databaseUrl, own.id);
  const files = await exportPerson(` ${person.email.toUpperCase()} `);
  // prettier-ignore
  expect([...files.keys()]).toEqual([
    'person.json', 'mails/1.eml', 'mails/2.eml', 'mails/3.eml',
    `beitraege/${own.id}/beitrag.json`, `beitraege/${own.id}/transkript.txt`,
    `beitraege/${named.id}/beitrag.json`, `beitraege/${named.id}/transkript.txt`,
    `beitraege/${own.id}/01_Bild_${FILES_DAY}.png`, 'pruefsummen.txt',
  ]);
  expect(files.get(`beitraege/${own.id}/01_Bild_${FILES_DAY}.png`)?.bytes).toEqual(PNG);
  expect(readText(files, `beitraege/${named.id}/transkript.txt`)).toBe('fremdes');
  expect(JSON.parse(readText(files, `beitraege/${own.id}/beitrag.json`))).toMatchObject({
    events: [{ what: 'note', text: '<b>=Notiz</b>' }],
    turns: [{ position: 0 }, { position: 1 }],
  });
  const told = readText(files, `beitraege/${named.id}/beitrag.json`);
  expect(JSON.parse(told)).toMatchObject({
    posts: [
      {
        versions: [{ body: 'Das sagt Wellendichtung.' }, { body: 'Das meint Wellendichtung.' }],
        answers: [{ answer: 'change', comment: 'Bitte ohne Wellendichtung' }],
      },
    ],
    reviewLinks: [{ revoked_at: null }],
  });
  expect(told).not.toContain(createHash('sha256').update(key).digest('hex'));
  const about: unknown = JSON.parse(readText(files, 'person.json'));
  expect(about).toMatchObject({
    email: person.email,
    contributions: [own.id, named.id],
    account: {
      id: person.id,
      email: person.email,
      role: 'firma_a',
      identities: [{ provider: 'email' }],
      sessions: [{}],
    },
    mails: [
      { contribution: own.id, mail: 'new', state: 'sent' },
      { contribution: named.id, mail: 'new', state: 'sent' },
    ],
    audit: expect.arrayContaining([
      expect.objectContaining({ what: 'view', by: admin.id, interview_id: own.id }),
      expect.objectContaining({ what: 'note' }),
      expect.objectContaining({ what: 'post_state', interview_id: named.id }),
    ]),
  });
  const letters = [1, 2, 3].map((at) => readText(files, `mails/${at}.eml`));
  expect(letters.filter((letter) => letter.includes(`To: ${person.email}`))).toHaveLength(1);
  expect(letters.filter((letter) => letter.includes(`To: ${TEAM.DESK_MAIL_TO}`))).toHaveLength(2);
  expect(JSON.stringify(about)).not.toMatch(/password|token|\$2[aby]\$/);
});

test('Desk: exports and erases each account with an address, also that of company sign-on', async () => {
  const person = await createUser(server, { role: 'firma_a' });
  const signedOn = await createUser(server);
  await asOwner(server.databaseUrl, (client) =>
    client.query('update auth.users set is_sso_user = true, email = $2 where id = $1', [signedOn.id, person.email]),
  );
  expect(JSON.parse(readText(await exportPerson(person.email), 'person.json'))).toMatchObject({
    account: { id: person.id, log: [{ action: 'user_signedup' }, { action: 'login', address: '127.0.0.1' }] },
    furtherAccounts: [{ id: signedOn.id, factors: [], log: [{}, {}] }],
  });
  await eraseAs(desk, { email: person.email, account: true });
  for (const { id } of [person, signedOn]) {
    const find = async () => (await server.service().auth.admin.getUserById(id)).error?.status;
    await expect.poll(find).toBe(404);
  }
});

test('Desk: an export about a colleague has what they did and were given, without words about others', async () => {
  const colleague = await createUser(server, { role: 'admin' });
  const contributor = await createUser(server, { role: 'firma_a' });
  const { id } = await handIn(contributor, { transcript: 'von jemand anderem' });
  const { version } = await look(colleague.client, id);
  await change(colleague.client, { id, version, change: { note: 'Frau Muster ist krank' } });
  await change(admin.client, { id, version, change: { assignee: colleague.id } });
  const about = readText(await exportPerson(colleague.email), 'person.json');
  expect(JSON.parse(about)).toMatchObject({
    account: { id: colleague.id, role: 'admin' },
    contributions: [],
    deskWork: [
      { what: 'view', by: colleague.id, interview_id: id },
      { what: 'note', by: colleague.id, interview_id: id },
      { what: 'assignment', by: admin.id, interview_id: id, detail: { from: null, to: colleague.id } },
    ],
  });
  expect(about).not.toMatch(/Muster|anderem/);
  expect(JSON.parse(readText(await exportPerson(contributor.email), 'person.json'))).toMatchObject({ deskWork: [] });
});

test('Desk: an export names a contribution that was erased meanwhile and goes on', async () => {
  const own = await bootServer();
  const [team, person] = [await createUser(own, { role: 'admin' }), await createUser(own, { role: 'firma_a' })];
  const gone = await handIn(person, { transcript: 'geht' });
  const kept = await handIn(person, { transcript: 'bleibt' });
  // Erased after it was listed, before it is read.
  await asOwner(own.databaseUrl, (client) =>
    client.query(`create function public.erase_one() returns trigger language plpgsql security definer as
      $$ begin delete from public.interviews where id = ${gone.id}; return null; end $$;
      create trigger erases after insert on public.desk_audit_log for each row when (new.what = 'export')
      execute function public.erase_one()`),
  );
  const ticket = TicketSchema.parse(
    (await (await deskApi(own.url, team))('POST', '/v1/desk/exports', { email: person.email })).body,
  );
  const files = await unzip((await (await deskApi(own.url))('GET', ticket.url)).bytes);
  expect([...files.keys()]).toEqual([
    'person.json',
    `beitraege/${kept.id}/beitrag.json`,
    `beitraege/${kept.id}/transkript.txt`,
    'fehlend.txt',
    'pruefsummen.txt',
  ]);
  expect(readText(files, 'fehlend.txt')).toContain(`beitraege/${gone.id}/: inzwischen gelöscht\n`);
  await own.stop();
});

test('Desk: counts without showing and logs every view and export', async () => {
  const person = await createUser(server, { role: 'testnormec' });
  await handIn(person, { files: [{ type: 'image/png', extension: 'png', bytes: PNG }] });
  await mailsWritten(server);
  const reader = await createUser(server, { role: 'admin' });
  const call = await deskApi(server.url, reader);
  // prettier-ignore
  expect((await call('GET', `/v1/desk/people?email=${person.email}`)).body).toEqual({
    email: person.email, contributions: 1, files: 1, turns: 2, feedback: 1, posts: 0, mails: 1, auditEntries: 0,
    account: { id: person.id, role: 'testnormec', erasable: 'yes' },
  });
  expect((await call('GET', `/v1/desk/people?email=${reader.email}`)).body).toMatchObject({
    account: { erasable: 'own_account' },
  });
  const { body } = await call('POST', '/v1/desk/exports', { email: person.email });
  await (
    await deskApi(server.url)
  )('GET', TicketSchema.parse(body).url);
  const log = await must(
    admin.client.from('desk_audit_log').select('what, interview_id, detail').eq('by', reader.id).order('id'),
  );
  expect(log).toEqual([
    { what: 'person', interview_id: null, detail: { contributions: 1 } },
    { what: 'person', interview_id: null, detail: { contributions: 0 } },
    { what: 'person', interview_id: null, detail: { contributions: 1 } },
    { what: 'export', interview_id: null, detail: { contributions: 1 } },
    { what: 'dossier', interview_id: expect.any(Number), detail: {} },
  ]);
});

test('Desk: refuses unknown and invalid addresses', async () => {
  const email = `${randomUUID()}@nirgends.test`;
  expect((await desk('GET', `/v1/desk/people?email=${email}`)).body).toMatchObject({
    contributions: 0,
    mails: 0,
    account: null,
  });
  for (const path of ['/v1/desk/exports', '/v1/desk/erasures']) {
    expect(await desk('POST', path, { email })).toMatchObject({ status: 404, code: 'person_not_found' });
    for (const bad of ['', 'a', '%@%', 'a b@c.de', `${'x'.repeat(320)}@y.de`, null]) {
      const known = bad === '%@%' ? 'person_not_found' : 'invalid_request';
      expect([bad, (await desk('POST', path, { email: bad })).code]).toEqual([bad, known]);
    }
  }
});

test('Desk: exports without a service key and names the missing key for an erasure', async () => {
  const person = await createUser(server, { role: 'firma_a' });
  const { id } = await handIn(person, { transcript: 'gehostet' });
  const application = await bootHosted(server, { RETENTION_DAYS: '30' });
  try {
    expect(readText(await exportPerson(person.email, application.url), `beitraege/${id}/transkript.txt`)).toBe(
      'gehostet',
    );
    const call = await deskApi(application.url, admin);
    for (const [path, body] of [
      ['/v1/desk/erasures', { contribution: id }],
      ['/v1/desk/erasures', { email: person.email }],
      ['/v1/desk/retention', { before: '2020-01-01T00:00:00Z' }],
    ] as const) {
      expect(await call('POST', path, body)).toMatchObject({ status: 503, code: 'not_configured' });
    }
    expect((await call('GET', '/v1/desk/erasures')).body).toMatchObject({ open: [] });
    expect((await call('GET', '/v1/desk/retention')).body).toMatchObject({ days: null, total: 0 });
  } finally {
    await application.stop();
  }
});
