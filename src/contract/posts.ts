/**
 * Posts: what the team makes of a contribution, and what the contributor answers. Rows come from functions in SQL:
 * `rpc('desk_post_…')` and `rpc('desk_review_…')` for administrators, `rpc('review_…')` for the bearer of a review key.
 * Times are ISO 8601.
 */
import * as z from 'zod/mini';
import { REVIEW_COMMENT_MAX } from './review.ts';

/** 'Entwurf', 'Zur Freigabe', 'Freigegeben', 'Änderung gewünscht', 'Gestoppt', 'Veröffentlicht'. */
export const POST_STATES = ['draft', 'in_review', 'approved', 'changes_requested', 'declined', 'published'] as const;
export const PostStateSchema = z.enum(POST_STATES);
export type PostState = z.infer<typeof PostStateSchema>;

export const REVIEW_ANSWERS = ['approve', 'change', 'decline'] as const;
export type ReviewAnswer = (typeof REVIEW_ANSWERS)[number];

/** What the database refuses to keep. */
export const POST_LIMITS = {
  body: 50_000,
  pictures: 50,
  alt: 1_000,
  model: 200,
  comment: REVIEW_COMMENT_MAX,
  url: 2_000,
} as const;

/** One picture of a post, in its place. `upload` is an id of `media_uploads`. */
export const PostPictureSchema = z.strictObject({
  upload: z.int().check(z.positive()),
  alt: z.string().check(z.maxLength(POST_LIMITS.alt)),
  used: z.boolean(),
});

/** What a save brings: `rpc('desk_post_add')`, `rpc('desk_post_save')`. `model` names the model where one wrote it. */
export const PostDraftSchema = z
  .strictObject({
    body: z.string().check(z.maxLength(POST_LIMITS.body)),
    pictures: z.array(PostPictureSchema).check(z.maxLength(POST_LIMITS.pictures)),
    origin: z.enum(['person', 'model']),
    model: z.nullable(z.string().check(z.maxLength(POST_LIMITS.model))),
  })
  .check(z.refine(({ origin, model }) => (origin === 'model') === (model !== null)));

const SavedTextSchema = z.object({
  version: z.number(),
  body: z.string(),
  pictures: z.array(PostPictureSchema),
  origin: z.enum(['person', 'model']),
  model: z.nullable(z.string()),
});

/** Never changed once it is saved. */
export const PostVersionSchema = z.extend(SavedTextSchema, {
  /** An account's id; null once the account is gone. */
  by: z.nullable(z.string()),
  at: z.string(),
});

/** A row of the table `post_versions`, which administrators read. */
export const PostVersionRowSchema = z.extend(SavedTextSchema, { created_at: z.string() });

export const PostSchema = z.object({
  id: z.number(),
  contribution: z.number(),
  /** A channel; one that this version does not know is shown as it is. */
  channel: z.string(),
  state: PostStateSchema,
  /** To save, send or move a post names the version that was seen: PT409 where there is a later one. */
  version: z.number(),
  /** The version that was last sent for review. */
  sentVersion: z.nullable(z.number()),
  publishedUrl: z.nullable(z.string()),
  publishedAt: z.nullable(z.string()),
  /** When the contributor asked to take the published post down. */
  withdrawnAt: z.nullable(z.string()),
  createdAt: z.string(),
  changedAt: z.string(),
  current: PostVersionSchema,
});
export type Post = z.infer<typeof PostSchema>;

const GivenAnswerSchema = z.object({
  /** `withdraw`: about a post that was published already. */
  answer: z.enum([...REVIEW_ANSWERS, 'withdraw']),
  comment: z.string(),
  at: z.string(),
});

/** `rpc('desk_posts', { contribution })`, also what `rpc('desk_review_send')` answers. */
export const DeskPostsSchema = z.object({
  posts: z.array(
    z.extend(PostSchema, {
      /** Oldest first. */
      answers: z.array(z.extend(GivenAnswerSchema, { version: z.number() })),
    }),
  ),
  /** The newest link; null where none was made yet, or it was revoked. */
  link: z.nullable(
    z.object({
      createdAt: z.string(),
      expiresAt: z.string(),
      expired: z.boolean(),
      firstOpenedAt: z.nullable(z.string()),
    }),
  ),
  /** A mail with a new link is about to be sent. */
  mailWaiting: z.boolean(),
});

/** `rpc('review_open')`: what the contributor sees. PT404 for a key that is unknown, expired, revoked or erased. */
export const ReviewSchema = z.object({
  firstName: z.string(),
  /** The contributor's own words, on which the posts rest. */
  sources: z.object({ transcript: z.string(), answers: z.record(z.string(), z.string()) }),
  posts: z.array(
    z.object({
      id: z.number(),
      channel: z.string(),
      /** `draft`: the team works on another text; what is shown is the one that was sent. */
      state: PostStateSchema,
      version: z.number(),
      body: z.string(),
      pictures: z.array(z.object({ path: z.string(), type: z.string(), alt: z.string() })),
      publishedUrl: z.nullable(z.string()),
      publishedAt: z.nullable(z.string()),
      withdrawnAt: z.nullable(z.string()),
      /** The newest one about this version. */
      answer: z.nullable(GivenAnswerSchema),
    }),
  ),
});

export type Review = z.infer<typeof ReviewSchema>;
export type ReviewedPost = Review['posts'][number];

/**
 * `rpc('review_answer')`, `rpc('review_withdraw')`. recorded: it counts. outdated: the text is another one meanwhile,
 * or will be. closed: the post is published, or the team stopped it; of a withdrawal: it is not published.
 */
export const ReviewResultSchema = z.object({
  outcome: z.enum(['recorded', 'outdated', 'closed']),
  review: ReviewSchema,
});
export type ReviewResult = z.infer<typeof ReviewResultSchema>;
