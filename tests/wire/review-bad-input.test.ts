import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePath, ErasureListSchema, TicketSchema } from '#contract/desk-files.ts';
import { ReviewResultSchema, ReviewSchema, type Post } from '#contract/posts.ts';
import { ReviewPicturesSchema } from '#contract/review-routes.ts';
import { REVIEW_COMMENT_MAX, REVIEW_KEY_HEADER, REVIEW_LINK_PATH, REVIEW_PICTURES_PATH } from '#contract/review.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';
import { deskApi, must } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';

/** What comes to a review from outside and is not meant by its contributor (posts). */
let server: TestServer;
let admin: TestUser;
beforeAll(async () => {
  server = await bootServer({ REVIEW_PICTURES_PER_HOUR: '25', TRUST_PROXY: '1' });
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

const sql = async (text: string, params: readonly unknown[]) =>
  (await asOwner(server.databaseUrl, (client) => client.query(text, [...params]))).rows;

async function openReview() {
  const contribution = await contribute(server, { transcript: 'Du: Die Pumpe läuft.', email: 'mira@beispiel.test' });
  const post = await addPost(admin.client, contribution, 'Die Pumpe läuft.');
  return { contribution, post, ...(await sendForReview(server, admin.client, contribution, [post])) };
}

/** What the team sees of it: each post's state with its answers, and when the link was first opened. */
async function lookAt(contribution: number) {
  const { posts, link } = (await must(admin.client.rpc('desk_posts', { contribution }))) as {
    posts: { state: string; answers: { answer: string; comment: string }[] }[];
    link: { firstOpenedAt: string | null } | null;
  };
  const given = posts.map(({ state, answers }) => [state, answers.map(({ answer, comment }) => [answer, comment])]);
  return { given, firstOpenedAt: link?.firstOpenedAt };
}

const bearer = (key: string) => server.client({ headers: { [REVIEW_KEY_HEADER]: key } });

const approve = ({ id, version }: Post) => ({ post: id, version, answer: 'approve' });

test('Forged, unknown, expired, revoked, replaced and erased links are answered alike, and nothing changes (posts)', async () => {
  const good = await openReview();
  const [expired, revoked, replaced, erased] = [
    await openReview(),
    await openReview(),
    await openReview(),
    await openReview(),
  ];
  await sql('update private.review_links set expires_at = now() where interview_id = $1', [expired.contribution]);
  await must(admin.client.rpc('desk_review_revoke', { contribution: revoked.contribution }));
  await sendForReview(server, admin.client, replaced.contribution, []);
  await sql('delete from interviews where id = $1', [erased.contribution]);
  const last = good.key.at(-1) === 'A' ? 'B' : 'A';
  const forged = [
    `${good.key.slice(0, -1)}${last}`,
    good.key.slice(0, -1),
    `${good.key}A`,
    good.key.toUpperCase(),
    `${good.key} `.repeat(2),
    "' or true --".padEnd(43, 'x'),
    'A'.repeat(128),
    'A'.repeat(4_000),
  ];
  const dead = [newKey(), ...forged, ...[expired, revoked, replaced, erased].map(({ key }) => key)];
  const answers = new Map<string, Set<string>>();
  for (const key of dead) {
    const calls = {
      open: bearer(key).rpc('review_open'),
      answer: bearer(key).rpc('review_answer', approve(good.post)),
      withdraw: bearer(key).rpc('review_withdraw', { post: good.post.id }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const { status, error } = await call;
      answers.set(name, (answers.get(name) ?? new Set()).add(JSON.stringify([status, error])));
    }
    const pictures = await fetch(`${server.url}${REVIEW_PICTURES_PATH}`, {
      method: 'POST',
      headers: { [REVIEW_KEY_HEADER]: key },
    });
    const body = `${pictures.status} ${await pictures.text()}`;
    answers.set('pictures', (answers.get('pictures') ?? new Set()).add(body));
  }
  expect([...answers].map(([name, different]) => [name, different.size])).toEqual([
    ['open', 1],
    ['answer', 1],
    ['withdraw', 1],
    ['pictures', 1],
  ]);
  expect([...(answers.get('open') ?? [])].join()).toContain('no such review');
  for (const { contribution } of [good, expired, revoked, replaced])
    expect((await lookAt(contribution)).given).toEqual([['in_review', []]]);
});

test('Mail scanners and previews may open every address with every method but a press: none answers or opens (posts)', async () => {
  const { contribution, post, key } = await openReview();
  const args = `post=${post.id}&version=1&answer=approve&comment=x`;
  const addresses = [
    `/freigabe#k=${key}`,
    `/freigabe?k=${key}`,
    `/freigabe/${key}`,
    `/freigabe?answer=approve&post=${post.id}`,
    '/rest/v1/rpc/review_open',
    `/rest/v1/rpc/review_answer?${args}`,
    `/rest/v1/rpc/review_withdraw?post=${post.id}`,
    `/rest/v1/review_answers?post_id=eq.${post.id}`,
    `/rest/v1/posts?id=eq.${post.id}`,
    REVIEW_PICTURES_PATH,
    `${REVIEW_LINK_PATH}?contribution=${contribution}`,
  ];
  const seen: string[] = [];
  for (const address of addresses)
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const headers of [
        {
          'user-agent': 'Mozilla/5.0 (compatible; SafeLinks)',
          purpose: 'prefetch',
          'sec-purpose': 'prefetch;prerender',
        },
        { [REVIEW_KEY_HEADER]: key, apikey: server.backend.keys.publishableKey, prefer: 'return=representation' },
      ]) {
        const response = await fetch(`${server.url}${address}`, { method, headers });
        seen.push(await response.text());
      }
  expect(seen.join('\n')).not.toContain(post.current.body);
  expect(await lookAt(contribution)).toEqual({ given: [['in_review', []]], firstOpenedAt: null });
  expect(
    await sql('select from private.desk_mails where interview_id = $1 and mail = $2', [contribution, 'review']),
  ).toEqual([]);
});

test('Two tabs that answer at once: both answers are kept, and the newest one is the state (posts)', async () => {
  const { contribution, post, reader } = await openReview();
  const given = ['approve', 'change', 'decline', 'approve', 'decline', 'change'].map((answer, at) =>
    must(reader.rpc('review_answer', { post: post.id, version: 1, answer, comment: `Tab ${at}` })),
  );
  const results = (await Promise.all(given)).map((result) => ReviewResultSchema.parse(result));
  expect(results.map(({ outcome }) => outcome)).toEqual(given.map(() => 'recorded'));
  const {
    given: [[state, answers] = []],
  } = await lookAt(contribution);
  expect(answers).toHaveLength(given.length);
  const [newest] = (answers as [string, string][]).at(-1) ?? [''];
  expect(state).toBe({ approve: 'approved', change: 'changes_requested', decline: 'declined' }[newest]);
});

test('A contributor who is asked while the team saves answers the text of before, or is told so (posts)', async () => {
  for (const round of [1, 2, 3, 4, 5]) {
    const { contribution, post, reader } = await openReview();
    const [answered, saved] = await Promise.all([
      must(reader.rpc('review_answer', approve(post))),
      admin.client.rpc('desk_post_save', { id: post.id, version: 1, body: `Anders ${round}` }),
    ]);
    const { outcome } = ReviewResultSchema.parse(answered);
    expect(saved.error).toBe(null);
    expect((await lookAt(contribution)).given).toEqual([['draft', outcome === 'recorded' ? [['approve', '']] : []]]);
    expect(['recorded', 'outdated']).toContain(outcome);
  }
});

test.each<[string, string, number]>([
  ['64 kB', 'ä'.repeat(32_768), 400],
  ['one character more than the limit', 'x'.repeat(REVIEW_COMMENT_MAX + 1), 400],
  ['a zero byte', 'vorher\u0000nachher', 400],
  ['HTML', '<img src=x onerror="alert(1)"><script>alert(1)</script></p>', 200],
  ['marks that turn the direction', '\u202Egnurhetnu\u202C \u2066x\u2069 \u200F', 200],
  ['a formula of a table', '=HYPERLINK("https://x.test";"x")', 200],
  ['as many characters as allowed', '🙂'.repeat(REVIEW_COMMENT_MAX), 200],
])('A comment of %s is refused whole or kept to the letter (posts)', async (_name, comment, status) => {
  const { contribution, post, reader } = await openReview();
  const answer = await reader.rpc('review_answer', { post: post.id, version: 1, answer: 'change', comment });
  expect(answer.status).toBe(status);
  expect((await lookAt(contribution)).given).toEqual(
    status === 200 ? [['changes_requested', [['change', comment]]]] : [['in_review', []]],
  );
});

test.each([
  { post: 'x', version: 1, answer: 'approve' },
  { post: 1e30, version: 1, answer: 'approve' },
  { version: 1, answer: 'approve' },
  { answer: 'approve', comment: {} },
])('An answer of another form is refused: %j (posts)', async (given) => {
  const { contribution, reader } = await openReview();
  const { status } = await reader.rpc('review_answer', given);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect((await lookAt(contribution)).given).toEqual([['in_review', []]]);
});

test('A picture erased meanwhile is left out, and the text can still be answered (posts)', async () => {
  const contribution = await contribute(server, { email: 'mira@beispiel.test' });
  const service = server.service();
  const uploads: number[] = [];
  for (const name of ['a.png', 'b.png', 'c.png']) {
    const path = `${contribution}/${name}`;
    await must(
      service.storage.from('Media').upload(path, Buffer.from('iVBORw0KGgo=', 'base64'), { contentType: 'image/png' }),
    );
    const row = { interview_id: contribution, file_path: path, file_type: 'image/png' };
    uploads.push(
      Number((await must(service.from('media_uploads').insert(row).select('id').single<{ id: number }>()))?.id),
    );
  }
  const pictures = uploads.map((upload) => ({ upload, alt: 'Eine Pumpe', used: true }));
  const made = admin.client.rpc('desk_post_add', { contribution, channel: 'linkedin', body: 'Text', pictures });
  const post = (await must(made)) as Post;
  const { key, reader } = await sendForReview(server, admin.client, contribution, [post]);
  // One with its row, of one the file alone.
  await must(service.from('media_uploads').delete().eq('id', uploads[0]));
  await must(service.storage.from('Media').remove([`${contribution}/b.png`]));
  const review = ReviewSchema.parse(await must(reader.rpc('review_open')));
  expect(review.posts[0]?.pictures.map(({ path }) => path)).toEqual([`${contribution}/b.png`, `${contribution}/c.png`]);
  const signed = await fetch(`${server.url}${REVIEW_PICTURES_PATH}`, {
    method: 'POST',
    headers: { [REVIEW_KEY_HEADER]: key },
  });
  expect(signed.status).toBe(200);
  expect(ReviewPicturesSchema.parse(await signed.json()).pictures.map(({ path }) => path)).toEqual([
    `${contribution}/c.png`,
  ]);
  expect(ReviewResultSchema.parse(await must(reader.rpc('review_answer', approve(post)))).outcome).toBe('recorded');
  // The team sees it, too, and cannot save with what is gone.
  const saved = await admin.client.rpc('desk_post_save', { id: post.id, version: 1, body: 'Text 2', pictures });
  expect(saved).toMatchObject({ status: 400, error: { code: '22023', message: 'pictures: no such upload' } });
});

test('A contribution erased while its review is open: answers find nothing, and none comes back (posts)', async () => {
  const desk = await deskApi(server.url, admin);
  for (const round of [1, 2, 3]) {
    const { contribution, post, reader } = await openReview();
    await must(reader.rpc('review_open'));
    const answers = Array.from({ length: 4 }, (_, at) =>
      reader.rpc('review_answer', { ...approve(post), comment: `${round} ${at}` }),
    );
    const erased = desk('POST', '/v1/desk/erasures', { contribution });
    const codes = (await Promise.all(answers)).map(({ error }) => error?.code ?? 'recorded');
    expect(codes.filter((code) => code !== 'recorded' && code !== 'PT404')).toEqual([]);
    // 202: it takes longer than the answer waits.
    expect([200, 202]).toContain((await erased).status);
    const readOpen = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body).open;
    await expect.poll(readOpen).toEqual([]);
    expect(await reader.rpc('review_answer', approve(post))).toMatchObject({
      status: 404,
      error: { code: 'PT404', message: 'no such review' },
    });
    const left = await sql(
      `select from review_answers where post_id = $1 union all select from post_versions where post_id = $1
        union all select from posts where id = $1 union all select from private.review_links where interview_id = $2`,
      [post.id, contribution],
    );
    expect(left).toEqual([]);
  }
});

test('One network loads so many pictures an hour, whether their addresses hold or not; links are counted apart (posts)', async () => {
  const statuses: number[] = [];
  // The hour of the clock may turn meanwhile: of 51, one of two hours gets 26 at least.
  for (let asked = 0; asked < 51; asked += 1) {
    const { status } = await fetch(`${server.url}${REVIEW_PICTURES_PATH}/forged`);
    statuses.push(status);
  }
  expect(statuses.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => 404));
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
  expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(50);
  const link = await fetch(`${server.url}${REVIEW_LINK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'u'.repeat(43) }),
  });
  expect(link.status).toBe(202);
});

test('One network that asks for a review again and again keeps out nobody of another one (threat 21)', async () => {
  const [busy, other] = [await openReview(), await openReview()];
  const call = (address: string, method: string, path: string, headers = {}) =>
    fetch(`${server.url}${path}`, { method, headers: { ...headers, 'x-forwarded-for': address } });
  const ask = (address: string, key: string) =>
    call(address, 'POST', REVIEW_PICTURES_PATH, { [REVIEW_KEY_HEADER]: key });
  const desk = await deskApi(server.url, admin);
  const ticket = await desk('POST', '/v1/desk/tickets', { path: archivePath(other.contribution) });
  const { url } = TicketSchema.parse(ticket.body);
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('select from private.desk_items where interview_id = $1 for update', [busy.contribution]);
    const asking = Array.from({ length: 80 }, () => ask('192.0.2.1', busy.key));
    // Some are refused at once, since so many wait.
    expect((await Promise.race(asking)).status).toBe(502);
    const answers = await Promise.all([ask('192.0.2.2', other.key), call('192.0.2.3', 'GET', url)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    for (const answer of answers) await answer.arrayBuffer();
    await client.query('rollback');
    await Promise.all(asking);
  });
});
