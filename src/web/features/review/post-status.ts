import type { ReviewedPost } from '#contract/posts.ts';

/**
 * Where a post stands for the contributor. waiting: for an answer · answered: and can be changed · working: the team
 * writes another text · stopped: by the team · published · withdrawn: published, and asked to be taken down.
 */
export type PostStatus = 'waiting' | 'answered' | 'working' | 'stopped' | 'published' | 'withdrawn';

export function getPostStatus({ state, answer, withdrawnAt }: ReviewedPost): PostStatus {
  if (state === 'published') return withdrawnAt === null ? 'published' : 'withdrawn';
  if (state === 'draft') return 'working';
  if (state === 'declined') return answer?.answer === 'decline' ? 'answered' : 'stopped';
  return state === 'in_review' ? 'waiting' : 'answered';
}

export function mayAnswer(post: ReviewedPost): boolean {
  return ['waiting', 'answered'].includes(getPostStatus(post));
}

export function countAnswered(posts: readonly ReviewedPost[]): Readonly<{ answered: number; all: number }> {
  const asked = posts.filter(mayAnswer);
  return { answered: asked.filter((post) => getPostStatus(post) === 'answered').length, all: asked.length };
}
