import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Post } from '#contract/posts.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { ROLES } from '#contract/roles.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { must } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';

/** Who may do what with posts and reviews, with the official client (posts). */
const HASH = 'a'.repeat(64);

let server: TestServer;
let owner: TestUser;
let contribution: number;
let sent: Post;
let draft: Post;
let key: string;
beforeAll(async () => {
  server = await bootServer();
  const admin = await createUser(server, { role: 'admin' });
  owner = await createUser(server, { role: 'firma_a' });
  contribution = await contribute(server, { userId: owner.id, transcript: 'Du: Ja.', email: 'mira@beispiel.test' });
  sent = await addPost(admin.client, contribution, 'Gesendet');
  draft = await addPost(admin.client, contribution, 'Entwurf');
  ({ key } = await sendForReview(server, admin.client, contribution, [sent]));
});
afterAll(() => server.stop());

/** What the team does. */
const deskCalls = (client: SupabaseClient) => ({
  desk_posts: client.rpc('desk_posts', { contribution }),
  desk_post_add: client.rpc('desk_post_add', { contribution, channel: 'x', body: 'Fremd' }),
  desk_post_save: client.rpc('desk_post_save', { id: draft.id, version: 1, body: 'Fremd' }),
  desk_post_move: client.rpc('desk_post_move', { id: draft.id, version: 1, state: 'declined' }),
  desk_post_remove: client.rpc('desk_post_remove', { id: draft.id, version: 1 }),
  desk_review_send: client.rpc('desk_review_send', { contribution, posts: [], key_hash: HASH }),
  desk_review_request: client.rpc('desk_review_request', { contribution, posts: [] }),
  desk_review_revoke: client.rpc('desk_review_revoke', { contribution }),
});

/** What the bearer of a key does. */
const reviewCalls = (client: SupabaseClient) => ({
  review_open: client.rpc('review_open'),
  review_answer: client.rpc('review_answer', { post: sent.id, version: 1, answer: 'approve' }),
  review_withdraw: client.rpc('review_withdraw', { post: sent.id }),
});

async function listRefusals(calls: Readonly<Record<string, PromiseLike<{ error: { code: string } | null }>>>) {
  const entries = Object.entries(calls).map(
    async ([name, call]) => [name, (await call).error?.code ?? 'done'] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Readonly<Record<string, string>>;
}

const callers: readonly (readonly [string, () => Promise<SupabaseClient>])[] = [
  ...ROLES.filter((role) => role !== 'admin').map(
    (role) => [role, async () => (await createUser(server, { role })).client] as const,
  ),
  ['the contributor', async () => owner.client],
  ['an account without a role', async () => (await createUser(server)).client],
  ['a guest', async () => server.client()],
  ['a guest with an interview key', async () => server.client({ headers: { 'x-interview-key': 'k'.repeat(43) } })],
  ['the bearer of the review key', async () => server.client({ headers: { [REVIEW_KEY_HEADER]: key } })],
];

test.each(callers)('The work of the team is refused to %s (posts)', async (_name, open) => {
  const refusals = await listRefusals(deskCalls(await open()));
  expect(new Set(Object.values(refusals))).toEqual(new Set(['42501']));
});

test.each(callers.slice(0, -1))(
  'Without the review key %s neither opens nor answers a review (posts)',
  async (_name, open) => {
    const refusals = await listRefusals(reviewCalls(await open()));
    expect(new Set(Object.values(refusals))).toEqual(new Set(['PT404']));
  },
);

test('An administrator opens no review by the role, and the service key neither works for the team nor answers (posts)', async () => {
  const admin = await createUser(server, { role: 'admin' });
  expect(new Set(Object.values(await listRefusals(reviewCalls(admin.client))))).toEqual(new Set(['PT404']));
  const service = server.service();
  expect(new Set(Object.values(await listRefusals({ ...deskCalls(service), ...reviewCalls(service) })))).toEqual(
    new Set(['42501']),
  );
});

test('The contributor reads what was sent, others read nothing, and none of them writes (posts)', async () => {
  const read = async (client: SupabaseClient) =>
    (await client.from('posts').select('id')).data?.map(({ id }) => Number(id));
  expect(await read(owner.client)).toEqual([sent.id]);
  const versions = await owner.client.from('post_versions').select('body');
  expect(versions.data).toEqual([{ body: 'Gesendet' }]);
  for (const [name, open] of callers.filter(([caller]) => caller !== 'the contributor')) {
    const client = await open();
    expect([name, (await read(client)) ?? []]).toEqual([name, []]);
    for (const table of ['posts', 'post_versions', 'review_answers']) {
      const { error } = await client
        .from(table)
        .delete()
        .gte(table === 'posts' ? 'id' : 'post_id', 0);
      expect([name, table, error?.code]).toEqual([name, table, '42501']);
    }
  }
  const review = await must(server.client({ headers: { [REVIEW_KEY_HEADER]: key } }).rpc('review_open'));
  expect(JSON.stringify(review)).toContain('Gesendet');
  expect(JSON.stringify(review)).not.toContain('Entwurf');
  expect(JSON.stringify(review)).not.toContain('Fremd');
});
