import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeskPostsSchema, PostSchema, ReviewSchema, type Post } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { COMPLETE, mailDesk, queued } from '#tests/support/desk-mail.ts';
import { must } from '#tests/support/desk-calls.ts';
import { change, contribute, inbox, look } from '#tests/support/desk.ts';
import { PNG } from '#tests/support/storage.ts';

/** The mails with the link to a review, and the routes for its bearer. */
let server: TestServer;
let ada: TestUser;
const { mailServer, sender, mailEvents } = mailDesk(() => ({ server, ada }));

beforeAll(async () => {
  server = await bootServer({ REVIEW_LINKS_PER_HOUR: '5' });
  ada = await createUser(server, { role: 'admin' });
  // The server's own sender would write files; the tests bring senders of their own.
  await server.deskMail?.idle();
  await server.deskMail?.stop();
});
afterAll(() => server.stop());

const sql = (text: string, params: unknown[] = []) =>
  asOwner(server.databaseUrl, (client) => client.query(text, params));

async function addPost(contribution: number, more: object = {}): Promise<Post> {
  const added = ada.client.rpc('desk_post_add', {
    contribution,
    channel: 'linkedin',
    body: 'Die Pumpe läuft.',
    ...more,
  });
  return PostSchema.parse(await must(added));
}

const request = (contribution: number, posts: readonly Post[]) =>
  ada.client.rpc('desk_review_request', { contribution, posts: posts.map(({ id, version }) => ({ id, version })) });

/** A contribution with a post in review, and the mail about it in the queue. */
async function requested(): Promise<Readonly<{ contribution: number; post: Post }>> {
  const contribution = await contribute(server, COMPLETE);
  await sql(`delete from private.desk_mails where mail = 'new'`);
  const post = await addPost(contribution);
  expect((await request(contribution, [post])).error).toBe(null);
  return { contribution, post };
}

const keyIn = (text: string | undefined): string => /\/freigabe#k=([\w-]{43})\b/.exec(text ?? '')?.[1] ?? 'no key';

const open = (key: string) => server.client({ headers: { 'x-review-key': key } }).rpc('review_open');

test('One mail brings one link, whose key stands in no row and opens the posts (0243)', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp, ['team@haus.test']);
  await mails.round();
  const contribution = await contribute(server, COMPLETE);
  await sql(`delete from private.desk_mails where mail = 'new'`);
  const posts = [await addPost(contribution), await addPost(contribution, { channel: 'instagram' })];
  for (const post of posts) expect((await request(contribution, [post])).error).toBe(null);
  await mails.round();
  expect(smtp.received).toHaveLength(1);
  const [mail] = smtp.received;
  expect([mail?.recipient, mail?.subject]).toEqual([
    'mira@beispiel.test',
    `Dein Beitrag ${contribution}: Passt das so?`,
  ]);
  expect(mail?.text).toContain('sind 2 Posts entstanden (LinkedIn, Instagram)');
  const key = keyIn(mail?.text);
  expect(mail?.text).toContain(`https://beitraege.test/freigabe#k=${key}`);
  expect(ReviewSchema.parse(await must(open(key))).posts).toHaveLength(2);
  const rows =
    await sql(`select to_jsonb(m)::text || coalesce((select jsonb_agg(l)::text from private.review_links as l), '')
    as kept from private.desk_mails as m`);
  expect(rows.rows.map(({ kept }) => kept).join()).not.toContain(key);
  expect(await mailEvents(contribution)).toMatchObject([{ from: 'review', to: 'sent' }]);
});

test('Each attempt to send makes another key, and the last one alone opens the posts (0243)', async () => {
  const texts: string[] = [];
  const smtp = await mailServer({ recipient: () => (texts.push('asked') === 1 ? '450 later' : undefined) });
  const mails = sender(smtp);
  await mails.round();
  const { contribution } = await requested();
  await mails.round();
  const before = (await sql('select key_hash from private.review_links where interview_id = $1', [contribution])).rows;
  await sql('update private.desk_mails set due_at = now()');
  await mails.round();
  expect([before.length, smtp.received.length]).toEqual([1, 1]);
  expect((await open(keyIn(smtp.received[0]?.text))).error).toBe(null);
  const valid = await sql('select key_hash from private.review_links where interview_id = $1 and revoked_at is null', [
    contribution,
  ]);
  expect(valid.rows).toHaveLength(1);
  expect(valid.rows).not.toEqual(before);
});

test('Nothing is sent without an address, and the team is told (posts)', async () => {
  const contribution = await contribute(server, { transcript: 'x' });
  const post = await addPost(contribution);
  expect(await request(contribution, [post])).toMatchObject({
    status: 400,
    error: { code: '22023', message: 'mail: no address' },
  });
  expect((await ada.client.from('posts').select('state').eq('id', post.id)).data).toEqual([{ state: 'draft' }]);
});

test('A reminder brings a new link after three and seven days, and none after the answer (posts)', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp);
  await mails.round();
  const { contribution, post } = await requested();
  await mails.round();
  const age = async (days: number): Promise<void> => {
    const passed = [days, contribution];
    await sql(
      `update private.desk_mails set created_at = now() - make_interval(days => $1) where mail = 'review' and interview_id = $2`,
      passed,
    );
    await sql(
      `update private.desk_events set at = now() - make_interval(days => $1) where after = 'sent' and interview_id = $2`,
      passed,
    );
  };
  const subjects = async () => {
    await mails.round();
    return smtp.received.map(({ subject }) => subject.split(':')[0]);
  };
  await age(2);
  expect(await subjects()).toEqual([`Dein Beitrag ${contribution}`]);
  await age(3);
  await mails.round();
  expect(await subjects()).toEqual([`Dein Beitrag ${contribution}`, 'Erinnerung']);
  const [first, reminder] = smtp.received.map(({ text }) => keyIn(text));
  expect((await open(first ?? '')).error?.code).toBe('PT404');
  const reader = server.client({ headers: { 'x-review-key': reminder ?? '' } });
  expect((await reader.rpc('review_answer', { post: post.id, version: 1, answer: 'approve' })).error).toBe(null);
  await age(7);
  expect(await subjects()).toHaveLength(2);
});

test('After hours without a mail server one mail comes, and its link opens all that waits (0424)', async () => {
  let away = false;
  const smtp = await mailServer({ recipient: () => (away ? '450 later' : undefined) });
  const mails = sender(smtp, ['team@haus.test']);
  await mails.round();
  const { contribution } = await requested();
  await mails.round();
  const due = (past: string) =>
    sql(`update private.desk_mails set due_at = now(), created_at = created_at - $1::interval`, [past]);
  await sql(`update private.desk_events set at = now() - interval '4 days' where interview_id = $1`, [contribution]);
  await due('4 days');
  away = true;
  await mails.round();
  expect((await queued(server, contribution)).map(({ mail, state }) => [mail, state])).toEqual([
    ['review', 'sent'],
    ['review_reminder', 'waiting'],
  ]);
  // Two of the team send the same post, and one of them another one later.
  const [second, third] = [await addPost(contribution), await addPost(contribution)];
  for (let colleague = 1; colleague <= 2; colleague += 1)
    expect((await request(contribution, [second])).error).toBe(null);
  await mails.round();
  expect((await request(contribution, [second, third])).error).toBe(null);
  away = false;
  for (let hour = 1; hour <= 3; hour += 1) {
    await due('1 hour');
    await mails.round();
  }
  expect(smtp.received.map(({ subject }) => subject)).toEqual([
    `Dein Beitrag ${contribution}: Passt das so?`,
    `Dein Beitrag ${contribution}: Passt das so?`,
  ]);
  const review = ReviewSchema.parse(await must(open(keyIn(smtp.received[1]?.text))));
  expect(review.posts.map(({ state }) => state)).toEqual(['in_review', 'in_review', 'in_review']);
});

const lineOf = async (contribution: number) => {
  const line = (await inbox(ada.client)).items.find(({ id }) => id === contribution);
  return [line?.state, line?.posts];
};

test('An answer by link brings the contribution back into work and mails its assignee, and an approval takes it on (0263)', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp, ['team@haus.test']);
  await mails.round();
  const { contribution, post } = await requested();
  await mails.round();
  expect(await lineOf(contribution)).toEqual(['for_review', { approved: 0, changes: 0, withdrawn: 0, total: 1 }]);
  const { version } = await look(ada.client, contribution);
  await change(ada.client, { id: contribution, version, change: { assignee: ada.id } });
  const pulse = await must(ada.client.rpc('desk_pulse'));
  const key = keyIn(smtp.received[0]?.text);
  const reader = server.client({ headers: { 'x-review-key': key } });
  const request = { post: post.id, version: 1, answer: 'change', comment: 'Es war Halle 3.' };
  await must(reader.rpc('review_answer', request));
  expect(await lineOf(contribution)).toEqual(['in_progress', { approved: 0, changes: 1, withdrawn: 0, total: 1 }]);
  expect(await must(ada.client.rpc('desk_pulse')), 'open lists learn of it').not.toEqual(pulse);
  await mails.round();
  const mail = smtp.received.at(-1);
  expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['mira@beispiel.test', ada.email]);
  expect(mail?.subject).toBe(`Beitrag ${contribution}: Änderung gewünscht von Mira Ö`);
  expect(mail?.text).toContain('ein Post soll geändert werden (LinkedIn)');
  expect(mail?.text).toContain(`https://beitraege.test/admin/eingang/${contribution}?ansicht=posts`);
  expect(mail?.text, 'the words stay at the desk').not.toContain('Halle 3');
  await must(reader.rpc('review_answer', { ...request, answer: 'approve', comment: '' }));
  expect(await lineOf(contribution)).toEqual(['for_review', { approved: 1, changes: 0, withdrawn: 0, total: 1 }]);
  await mails.round();
  expect(smtp.received).toHaveLength(2);
});

test.each(['queueing', 'sending'])(
  'A request for a change goes to the team where the assignee is locked before %s (0263)',
  async (moment) => {
    const smtp = await mailServer();
    const mails = sender(smtp);
    await mails.round();
    const grace = await createUser(server, { role: 'admin' });
    const lock = async () => {
      const call = await accountsApi(server.url, ada);
      expect(await call('PATCH', `/${grace.id}`, { locked: true })).toMatchObject({ status: 200 });
    };
    const { contribution, post } = await requested();
    await mails.round();
    const { version } = await look(ada.client, contribution);
    await change(ada.client, { id: contribution, version, change: { assignee: grace.id } });
    if (moment === 'queueing') await lock();
    const reader = server.client({ headers: { 'x-review-key': keyIn(smtp.received.at(-1)?.text) } });
    await must(reader.rpc('review_answer', { post: post.id, version: 1, answer: 'change', comment: 'Halle 3.' }));
    if (moment === 'sending') await lock();
    await mails.round();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['mira@beispiel.test', ada.email]);
    expect(smtp.received.at(-1)?.subject).toBe(`Beitrag ${contribution}: Änderung gewünscht von Mira Ö`);
    await server.service().auth.admin.deleteUser(grace.id);
  },
);

const ask = (body: unknown) =>
  fetch(`${server.url}/v1/review/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('A new link goes to the stored address, the answer says nothing, and one network asks five times an hour (posts)', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp);
  await mails.round();
  const { contribution } = await requested();
  await mails.round();
  const key = keyIn(smtp.received[0]?.text);
  await sql(`update private.desk_mails set created_at = now() - interval '11 minutes'`);
  const readLink = async () => DeskPostsSchema.parse(await must(ada.client.rpc('desk_posts', { contribution })));
  expect(await readLink()).toMatchObject({ link: { expired: false }, mailWaiting: false });
  await sql('update private.review_links set expires_at = now()');
  expect(await readLink()).toMatchObject({ link: { expired: true }, mailWaiting: false });
  // The number of a contribution can be guessed: no mail comes of it (0262).
  for (const body of [{ contribution }, { key: String(contribution) }]) {
    const answer = await ask(body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
  }
  expect((await queued(server, contribution)).map(({ state }) => state)).toEqual(['sent']);
  for (const body of [{ key }, { key }, { key: 'u'.repeat(43) }]) {
    const answer = await ask(body);
    expect([answer.status, await answer.json()]).toEqual([202, {}]);
  }
  expect((await queued(server, contribution)).map(({ mail, state }) => [mail, state])).toEqual([
    ['review', 'sent'],
    ['review', 'waiting'],
  ]);
  expect(await readLink()).toMatchObject({ mailWaiting: true });
  await mails.round();
  expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['mira@beispiel.test', 'mira@beispiel.test']);
  expect((await open(keyIn(smtp.received[1]?.text))).error).toBe(null);
  const more: Response[] = [];
  for (let asked = 0; asked < 6; asked += 1) more.push(await ask({ key }));
  const refused = more.find(({ status }) => status === 429);
  expect([refused?.status, await refused?.json()]).toMatchObject([429, { error: { code: 'rate_limited' } }]);
  const seconds = Number(refused?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(3_600);
});

test('The bearer of a key gets signed addresses of the pictures of the review, and of nothing else (posts)', async () => {
  const smtp = await mailServer();
  const mails = sender(smtp);
  await mails.round();
  const contribution = await contribute(server, COMPLETE);
  const service = server.service();
  const bytes = PNG;
  const uploads: number[] = [];
  for (const name of ['1_a b.png', '2_secret.png']) {
    const path = `${contribution}/${name}`;
    await service.storage.from('Media').upload(path, bytes, { contentType: 'image/png' });
    const row = service
      .from('media_uploads')
      .insert({ interview_id: contribution, file_path: path, file_type: 'image/png' });
    const [added] = (await must(row.select('id'))) as { id: number }[];
    uploads.push(added?.id ?? 0);
  }
  const [shown, other] = uploads.map((upload, at) => ({ upload, alt: 'Eine Pumpe', used: at === 0 }));
  const post = await addPost(contribution, { pictures: [shown, other] });
  await must(request(contribution, [post]));
  await mails.round();
  const key = keyIn(smtp.received.at(-1)?.text);
  const pictures = (given: string) =>
    fetch(`${server.url}/v1/review/pictures`, { method: 'POST', headers: { 'x-review-key': given } });
  const answer = await pictures(key);
  const body = (await answer.json()) as { pictures: { path: string; url: string }[] };
  expect(body.pictures.map(({ path }) => path)).toEqual([`${contribution}/1_a b.png`]);
  const image = await fetch(`${server.url}${body.pictures[0]?.url}`);
  expect([image.status, Buffer.from(await image.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  const unknown = await pictures('u'.repeat(43));
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: 'review_not_found' } }]);
});
