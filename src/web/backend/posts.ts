import type * as z from 'zod/mini';
import { array, null as nothing } from 'zod/mini';
import { DeskPostsSchema, PostDraftSchema, PostSchema, PostVersionRowSchema } from '#contract/posts.ts';
import type { BackendClient } from './client.ts';
import { createAnswerParser, type DeskProblem } from './desk.ts';

export type DeskPosts = z.infer<typeof DeskPostsSchema>;
export type DeskPost = DeskPosts['posts'][number];
export type PostDraft = z.infer<typeof PostDraftSchema>;
export type PostVersion = z.infer<typeof PostVersionRowSchema>;

type Seen = Readonly<{ id: number; version: number }>;
type SeenState = Readonly<Seen & { changedAt: string }>;
type TeamMove = Readonly<{ state: 'draft' | 'declined' } | { state: 'published'; url: string }>;

/**
 * The team's functions for posts, for administrators only. All throw DeskError; `conflict`: there is a later version,
 * or the post was moved or answered since; `post_not_found`: the post was removed. Reports every refused request to
 * `onProblem`, in addition to throwing.
 */
export function connectPosts({ supabase }: BackendClient, onProblem: (problem: DeskProblem) => void) {
  const parse = createAnswerParser(onProblem);
  const parseOfPost = createAnswerParser(onProblem, 'post_not_found');
  /** A hosted project without these migrations compares no `seen`. */
  const callSeen = async (name: string, args: object, seen: string) => {
    const answer = await supabase.rpc(name, { ...args, seen });
    return answer.error?.code === 'PGRST202' ? supabase.rpc(name, args) : answer;
  };
  return {
    list: async (contribution: number, signal: AbortSignal) =>
      parse(DeskPostsSchema, await supabase.rpc('desk_posts', { contribution }).abortSignal(signal)),
    add: async (contribution: number, channel: string, draft: PostDraft) =>
      parse(PostSchema, await supabase.rpc('desk_post_add', { contribution, channel, ...draft })),
    save: async ({ id, version, changedAt }: SeenState, draft: PostDraft) =>
      parseOfPost(PostSchema, await callSeen('desk_post_save', { id, version, ...draft }, changedAt)),
    move: async ({ id, version, changedAt }: SeenState, to: TeamMove) =>
      parseOfPost(PostSchema, await callSeen('desk_post_move', { id, version, ...to }, changedAt)),
    remove: async ({ id, version }: Seen): Promise<void> =>
      void parseOfPost(nothing(), await supabase.rpc('desk_post_remove', { id, version })),
    /** Sends drafts for review with one mail; without posts it sends the link again. */
    requestReview: async (contribution: number, posts: readonly Seen[]) => {
      const seen = posts.map(({ id, version }) => ({ id, version }));
      const read = posts.length === 0 ? parse : parseOfPost;
      return read(DeskPostsSchema, await supabase.rpc('desk_review_request', { contribution, posts: seen }));
    },
    /** Newest first. */
    versions: async (post: number, signal: AbortSignal) => {
      const rows = supabase.from('post_versions').select('version,body,pictures,origin,model,created_at');
      const ordered = rows.eq('post_id', post).order('version', { ascending: false });
      return parse(array(PostVersionRowSchema), await ordered.abortSignal(signal));
    },
  };
}

export type Posts = ReturnType<typeof connectPosts>;
