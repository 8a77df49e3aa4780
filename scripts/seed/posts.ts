import { createHash, randomBytes } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { PostSchema, ReviewResultSchema, type Post } from '#contract/posts.ts';
import type { People } from './people.ts';
import type { PostStep, Sample, SamplePost } from './sample.ts';

const KEY_BYTES = 32;

type Making = Readonly<{
  people: People;
  admin: SupabaseClient;
  sample: Sample;
  contribution: number;
  pictures: readonly Readonly<{ upload: number; alt: string; used: boolean }>[];
  channel: string;
  /** The key of the link that counts. */
  keep: (key: string) => void;
  key: () => string;
}>;

/** Makes the posts of a sample as the team and the contributor do. Resolves to the key of its review link. */
export async function makePosts(people: People, sample: Sample, contribution: number): Promise<string | undefined> {
  let key: string | undefined;
  const admin = await people.openClient('admin');
  for (const post of sample.posts ?? []) {
    const pictures = await listPictures(admin, contribution, post);
    const keep = (made: string): void => void (key = made);
    const making = { people, admin, sample, contribution, pictures, channel: post.channel, keep, key: () => key ?? '' };
    let made: Post | undefined;
    for (const step of post.steps) made = await takeStep(making, made, step);
  }
  return key;
}

async function listPictures(admin: SupabaseClient, contribution: number, { alts = [] }: SamplePost) {
  const { data, error } = await admin
    .from('media_uploads')
    .select('id')
    .eq('interview_id', contribution)
    .like('file_type', 'image/%')
    .order('id')
    .limit(alts.length);
  if (error !== null) throw error;
  return data.map(({ id }, place) => ({ upload: Number(id), alt: alts[place] ?? '', used: true }));
}

async function takeStep(making: Making, post: Post | undefined, step: PostStep): Promise<Post> {
  const { admin, contribution } = making;
  if (typeof step === 'object' && 'write' in step) return write(making, post, step);
  if (post === undefined) throw new Error('a post begins with its text');
  const { id, version } = post;
  if (step === 'send') {
    const key = randomBytes(KEY_BYTES).toString('base64url');
    const key_hash = createHash('sha256').update(key).digest('hex');
    await call(admin, 'desk_review_send', { contribution, posts: [{ id, version }], key_hash });
    making.keep(key);
  } else if (step === 'stop') await call(admin, 'desk_post_move', { id, version, state: 'declined' });
  else if (step === 'publish') {
    const url = `https://beispiel.test/${making.channel}/${making.sample.key}`;
    await call(admin, 'desk_post_move', { id, version, state: 'published', url });
  } else await answer(making, post, step);
  return post;
}

async function write({ admin, contribution, channel, pictures }: Making, post: Post | undefined, step: WriteStep) {
  const text = { body: step.write, pictures, origin: step.model === undefined ? 'person' : 'model', model: step.model };
  const saved =
    post === undefined
      ? await call(admin, 'desk_post_add', { contribution, channel, ...text })
      : await call(admin, 'desk_post_save', { id: post.id, version: post.version, ...text });
  return PostSchema.parse(saved);
}

type WriteStep = Readonly<{ write: string; model?: string }>;

async function answer({ people, key }: Making, { id, version }: Post, step: Exclude<PostStep, WriteStep | string>) {
  const reader = people.reviewerWith(key());
  await call(reader, 'review_open', {});
  const result =
    'withdraw' in step
      ? await call(reader, 'review_withdraw', { post: id, comment: step.withdraw })
      : await call(reader, 'review_answer', { post: id, version, answer: step.answer, comment: step.comment ?? '' });
  const { outcome } = ReviewResultSchema.parse(result);
  if (outcome !== 'recorded') throw new Error(`an answer of a demo contribution is ${outcome}`);
}

async function call(client: SupabaseClient, name: string, given: object): Promise<unknown> {
  const { data, error } = await client.rpc(name, given);
  if (error !== null) throw error;
  return data as unknown;
}
