import { createHash } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { DeskPostsSchema, PostSchema, type Post } from '#contract/posts.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import type { TestServer } from './boot.ts';
import { newKey } from './callers.ts';
import { must } from './desk-calls.ts';

/** A draft of the desk. */
export async function addPost(admin: SupabaseClient, contribution: number, body: string): Promise<Post> {
  return PostSchema.parse(await must(admin.rpc('desk_post_add', { contribution, channel: 'linkedin', body })));
}

/** The posts under a new link: its key, and the client of a browser that opened it. */
export async function sendForReview(
  server: TestServer,
  admin: SupabaseClient,
  contribution: number,
  posts: readonly Pick<Post, 'id' | 'version'>[],
) {
  const key = newKey();
  const sent = admin.rpc('desk_review_send', {
    contribution,
    posts: posts.map(({ id, version }) => ({ id, version })),
    key_hash: createHash('sha256').update(key).digest('hex'),
  });
  const desk = DeskPostsSchema.parse(await must(sent));
  return { key, desk, reader: server.client({ headers: { [REVIEW_KEY_HEADER]: key } }) };
}

/** A post in every table: sent, opened, answered and changed since; the word is in all its texts. Returns the key. */
export async function reviewPost(
  server: TestServer,
  admin: SupabaseClient,
  contribution: number,
  word: string,
): Promise<string> {
  const post = await addPost(admin, contribution, `Das sagt ${word}.`);
  const { key, reader } = await sendForReview(server, admin, contribution, [post]);
  await must(reader.rpc('review_open'));
  // A mail that the server claims meanwhile is one row more than the caller counts: its next look is seconds away then.
  server.deskMail?.poke();
  await server.deskMail?.idle();
  await must(
    reader.rpc('review_answer', { post: post.id, version: 1, answer: 'change', comment: `Bitte ohne ${word}` }),
  );
  await must(admin.rpc('desk_post_save', { id: post.id, version: 1, body: `Das meint ${word}.` }));
  return key;
}
