import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Post } from '#contract/posts.ts';
import { type DeskProblem, getDeskProblem } from '#web/backend/desk.ts';
import { POLLING } from '#web/backend/server-state.tsx';
import { connectPosts, type DeskPost, type DeskPosts, type Posts } from '#web/backend/posts.ts';
import { useConnected, useDeskAction } from '../use-desk.tsx';

export const usePostFunctions = (): Posts => useConnected(connectPosts);

export const getPostsKey = (contribution: number) => ['desk', 'posts', contribution] as const;

/** The posts of a contribution, requested again and again: answers and links come from outside. */
export function usePosts(contribution: number) {
  const posts = usePostFunctions();
  const client = useQueryClient();
  const queryKey = getPostsKey(contribution);
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => posts.list(contribution, signal),
    ...POLLING,
  });
  const update = (edit: (before: DeskPosts | undefined) => DeskPosts | undefined): void => {
    // A request under way may have read what was there before the action.
    void client.cancelQueries({ queryKey });
    client.setQueryData<DeskPosts>(queryKey, edit);
  };
  const change = (edit: (all: readonly DeskPost[]) => readonly DeskPost[]): void =>
    update((before) => before && { ...before, posts: [...edit(before.posts)] });
  return {
    data,
    problem: error === null ? undefined : getDeskProblem(error),
    reload: (): void => void refetch(),
    set: (after: DeskPosts): void => update(() => after),
    /** Puts a changed or a new post into the list. */
    setPost: (post: Post): void =>
      change((all) =>
        all.some(({ id }) => id === post.id)
          ? all.map((one) => (one.id === post.id ? { ...one, ...post } : one))
          : [...all, { ...post, answers: [] }],
      ),
    dropPost: (id: number): void => change((all) => all.filter((one) => one.id !== id)),
  };
}

/** As a contribution counts them: `DeskItem.posts`. */
export function countPosts(posts: readonly DeskPost[]): Readonly<Record<'approved' | 'changes' | 'total', number>> {
  const isApproved = ({ state, withdrawnAt }: DeskPost): boolean =>
    state === 'approved' || (state === 'published' && withdrawnAt === null);
  const changes = posts.filter(({ state }) => state === 'changes_requested').length;
  const total = posts.filter(({ state }) => state !== 'declined').length;
  return { approved: posts.filter(isApproved).length, changes, total };
}

/** Whether somebody else has changed or removed the post, so that the list is loaded again. */
export function isOutdated(problem: DeskProblem): boolean {
  return problem === 'conflict' || problem === 'post_not_found';
}

type PostAction<T> = Readonly<{ run: (input: T) => Promise<boolean>; busy: boolean; problem: DeskProblem | undefined }>;

/** Runs one request at a time and keeps why it failed. */
export function usePostAction<T, R>(
  action: (posts: Posts, input: T) => Promise<R>,
  onDone: (result: R) => void,
  onError?: (problem: DeskProblem) => void,
): PostAction<T> {
  const posts = usePostFunctions();
  const mutationFn = (input: T) => action(posts, input);
  const { run, busy, error } = useDeskAction({ mutationFn, onSuccess: onDone, onError });
  return { run, busy, problem: error === null ? undefined : getDeskProblem(error) };
}
