import type { ReviewedPost } from '#contract/posts.ts';
import { countAnswered, getPostStatus } from './use-review.ts';

/**
 * How the page ends. open: answers are missing · done: everything was answered · working: nothing to answer yet, or
 * again · nothing: the team has stopped all there was.
 */
type ReviewEnd = 'open' | 'done' | 'working' | 'nothing';

export function getReviewEnd(posts: readonly ReviewedPost[]): ReviewEnd {
  const { answered, all } = countAnswered(posts);
  if (answered < all) return 'open';
  // Without an answer nobody is thanked, whatever the team has taken back (decision 0370).
  if (posts.some(({ answer, state }) => answer !== null || state === 'published')) return 'done';
  return posts.some((post) => getPostStatus(post) === 'working') ? 'working' : 'nothing';
}
