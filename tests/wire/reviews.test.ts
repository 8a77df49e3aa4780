import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostSchema, ReviewResultSchema, ReviewSchema } from '#contract/posts.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { contribute } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';

let server: TestServer;
let admin: TestUser;
beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
});
afterAll(() => server.stop());

test('Posts go out with one link, are answered without a login and are published (posts)', async () => {
  const contribution = await contribute(server, {
    transcript: 'Du: Die Pumpe läuft.',
    firstName: 'Ada',
    email: 'a@b.de',
  });
  const post = await addPost(admin.client, contribution, 'Die Pumpe läuft.');
  const { desk, reader } = await sendForReview(server, admin.client, contribution, [post]);
  expect(desk).toMatchObject({ posts: [{ state: 'in_review', sentVersion: 1 }], link: { firstOpenedAt: null } });
  const review = ReviewSchema.parse(await must(reader.rpc('review_open')));
  expect(review).toMatchObject({ firstName: 'Ada', posts: [{ id: post.id, body: 'Die Pumpe läuft.', answer: null }] });
  const given = reader.rpc('review_answer', { post: post.id, version: 1, answer: 'approve' });
  expect(ReviewResultSchema.parse(await must(given))).toMatchObject({
    outcome: 'recorded',
    review: { posts: [{ state: 'approved', answer: { answer: 'approve' } }] },
  });
  const url = 'https://example.org/p/1';
  const published = admin.client.rpc('desk_post_move', { id: post.id, version: 1, state: 'published', url });
  expect(PostSchema.parse(await must(published))).toMatchObject({ state: 'published', publishedUrl: url });
  const again = ReviewSchema.parse(await must(reader.rpc('review_open')));
  expect(again.posts).toMatchObject([{ state: 'published', publishedUrl: url }]);
});

test('A later save from an older version is told so, with status 409 (posts)', async () => {
  const post = await addPost(admin.client, await contribute(server), 'Eins');
  const save = (body: string) => admin.client.rpc('desk_post_save', { id: post.id, version: 1, body });
  const [one, other] = await Promise.all([save('Zwei'), save('Drei')]);
  expect([one.status, other.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
  const versions = admin.client.from('post_versions').select('version').eq('post_id', post.id).order('version');
  expect(await must(versions)).toEqual([{ version: 1 }, { version: 2 }]);
});

test('A key opens nothing by GET, in an address, or once it is replaced, and says the same each time (posts)', async () => {
  const contribution = await contribute(server);
  const post = await addPost(admin.client, contribution, 'Text');
  const { key, reader } = await sendForReview(server, admin.client, contribution, [post]);
  const given = { post: post.id, version: 1, answer: 'approve' };
  const byGet = await reader.rpc('review_answer', given, { get: true });
  expect([byGet.status, byGet.error?.code]).toEqual([405, '25006']);
  const unknown = await server.client().rpc('review_open');
  expect(unknown).toMatchObject({ status: 404, error: { code: 'PT404', message: 'no such review' } });
  const inAddress = await fetch(`${server.url}/rest/v1/rpc/review_open?x-review-key=${key}`, {
    method: 'POST',
    headers: { apikey: server.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(inAddress.status).toBe(400);
  await sendForReview(server, admin.client, contribution, []);
  const replaced = await reader.rpc('review_open');
  expect([replaced.status, replaced.error]).toEqual([unknown.status, unknown.error]);
  const rows = admin.client.from('review_answers').select('id').eq('post_id', post.id);
  expect(await must(rows)).toEqual([]);
});

test('A post that is sent again unchanged takes the same answer again (posts)', async () => {
  const contribution = await contribute(server);
  const post = await addPost(admin.client, contribution, 'Text');
  const first = await sendForReview(server, admin.client, contribution, [post]);
  const given = { post: post.id, version: 1, answer: 'approve' };
  await must(first.reader.rpc('review_answer', given));
  await must(admin.client.rpc('desk_post_move', { id: post.id, version: 1, state: 'draft' }));
  const { reader } = await sendForReview(server, admin.client, contribution, [post]);
  const answer = async () => ReviewResultSchema.parse(await must(reader.rpc('review_answer', given)));
  expect(await answer()).toMatchObject({ outcome: 'recorded', review: { posts: [{ state: 'approved' }] } });
  expect((await answer()).outcome).toBe('recorded');
  const rows = admin.client.from('review_answers').select('answer').eq('post_id', post.id);
  expect(await must(rows)).toEqual([{ answer: 'approve' }, { answer: 'approve' }]);
});

test('Keeps the words of a second withdrawal, and the same words once (posts)', async () => {
  const contribution = await contribute(server);
  const post = await addPost(admin.client, contribution, 'Text');
  const { reader } = await sendForReview(server, admin.client, contribution, [post]);
  await must(reader.rpc('review_answer', { post: post.id, version: 1, answer: 'approve' }));
  const url = 'https://example.org/p/2';
  await must(admin.client.rpc('desk_post_move', { id: post.id, version: 1, state: 'published', url }));
  const withdraw = async (comment: string) =>
    ReviewResultSchema.parse(await must(reader.rpc('review_withdraw', { post: post.id, comment })));
  const [first, again] = [await withdraw('Mein Name'), await withdraw('Mein Name')];
  const other = await withdraw('Auch das Bild');
  expect([first, again, other].map(({ outcome }) => outcome)).toEqual(['recorded', 'recorded', 'recorded']);
  expect(other.review.posts[0]?.withdrawnAt).toBe(first.review.posts[0]?.withdrawnAt);
  const rows = admin.client.from('review_answers').select('comment').eq('post_id', post.id).order('id');
  expect(await must(rows)).toEqual([{ comment: '' }, { comment: 'Mein Name' }, { comment: 'Auch das Bild' }]);
});

test('A stop by the team stays one where the contributor had declined the same text before (posts)', async () => {
  const contribution = await contribute(server);
  const post = await addPost(admin.client, contribution, 'Text');
  const { reader } = await sendForReview(server, admin.client, contribution, [post]);
  const answer = async (answer: string) =>
    ReviewResultSchema.parse(await must(reader.rpc('review_answer', { post: post.id, version: 1, answer })));
  await answer('decline');
  for (const state of ['draft', 'declined'])
    await must(admin.client.rpc('desk_post_move', { id: post.id, version: 1, state }));
  expect(await answer('approve')).toMatchObject({
    outcome: 'closed',
    review: { posts: [{ state: 'declined', answer: null }] },
  });
  await must(admin.client.rpc('desk_post_move', { id: post.id, version: 1, state: 'draft' }));
  await sendForReview(server, admin.client, contribution, [post]).then(({ reader: now }) =>
    must(now.rpc('review_answer', { post: post.id, version: 1, answer: 'decline' })),
  );
  const rows = admin.client.from('posts').select('state, stopped').eq('id', post.id);
  expect(await must(rows)).toEqual([{ state: 'declined', stopped: false }]);
});
