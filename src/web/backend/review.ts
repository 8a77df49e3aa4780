import type { AppConfig } from '#contract/app-config.ts';
import type { Review, ReviewAnswer, ReviewedPost, ReviewResult } from '#contract/posts.ts';
import type { ReviewPictures } from '#contract/review-routes.ts';
import { REVIEW_KEY_HEADER, REVIEW_LINK_PATH, REVIEW_PICTURES_PATH } from '#contract/review.ts';
import { isLike } from './stored-session.ts';

/**
 * gone: the key opens nothing (any more) · unreachable: no answer came · too-many: a limit is used up · failed:
 * everything else.
 */
export type ReviewProblem = 'gone' | 'unreachable' | 'too-many' | 'failed';

export class ReviewError extends Error {
  override readonly name = 'ReviewError';
  readonly problem: ReviewProblem;

  constructor(problem: ReviewProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

type Installation = Pick<AppConfig, 'supabaseUrl' | 'supabaseKey'>;

/** An answer may be sent again: the same one counts once. */
const TIMEOUT_MS = 20_000;

/**
 * What the bearer of one review key may do. All throw ReviewError. Plain requests instead of supabase-js, and a look at
 * the answers instead of schemas: either would be a tenth or more of what the page loads, and it needs no login.
 */
export function connectReview({ supabaseUrl, supabaseKey }: Installation, key: string) {
  const own = { [REVIEW_KEY_HEADER]: key };
  const call = (name: string, args: object): Promise<unknown> =>
    post(`${supabaseUrl}/rest/v1/rpc/${name}`, { apikey: supabaseKey, ...own }, args);
  return {
    open: async (): Promise<Review> => expect(isReview, await call('review_open', {})),
    answer: async (post: number, version: number, answer: ReviewAnswer, comment: string): Promise<ReviewResult> =>
      expect(isResult, await call('review_answer', { post, version, answer, comment })),
    withdraw: async (post: number, comment: string): Promise<ReviewResult> =>
      expect(isResult, await call('review_withdraw', { post, comment })),
    /** Signed addresses by path. A missing picture is left out. */
    pictures: async (): Promise<ReadonlyMap<string, string>> => {
      const { pictures } = expect(arePictures, await post(REVIEW_PICTURES_PATH, own));
      return new Map(pictures.map(({ path, url }) => [path, url]));
    },
  };
}

export type ReviewClient = ReturnType<typeof connectReview>;

/** Goes only to the stored address; the answer never tells whether there is one. Throws ReviewError. */
export async function requestReviewLink(key: string): Promise<void> {
  await request(REVIEW_LINK_PATH, {}, { key });
}

const EXAMPLE: Review = { firstName: '', sources: { transcript: '', answers: {} }, posts: [] };
const EXAMPLE_POST: Pick<ReviewedPost, 'id' | 'channel' | 'state' | 'version' | 'body' | 'pictures'> = {
  id: 0,
  channel: '',
  state: 'draft',
  version: 0,
  body: '',
  pictures: [],
};

function isReview(content: unknown): content is Review {
  if (!isLike(content, EXAMPLE) || !Array.isArray(content.posts)) return false;
  return content.posts.every((post) => isLike(post, EXAMPLE_POST) && Array.isArray(post.pictures));
}

function isResult(content: unknown): content is ReviewResult {
  return isLike(content, { outcome: '', review: EXAMPLE }) && isReview(content.review);
}

function arePictures(content: unknown): content is ReviewPictures {
  return isLike(content, { pictures: [] }) && Array.isArray(content.pictures);
}

function expect<T>(isExpected: (content: unknown) => content is T, content: unknown): T {
  if (isExpected(content)) return content;
  throw new ReviewError('failed');
}

async function post(url: string, headers: Readonly<Record<string, string>>, body?: object): Promise<unknown> {
  const response = await request(url, headers, body);
  return response.json().catch((cause: unknown) => {
    throw new ReviewError('unreachable', { cause });
  });
}

async function request(url: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Response> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...json },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new ReviewError('unreachable', { cause });
  });
  // The page of a proxy, or of a gateway without its backend, says nothing about the key.
  const isAnswer = response.headers.get('content-type')?.includes('json') === true;
  if (response.ok && isAnswer) return response;
  throw new ReviewError(isAnswer ? getProblem(response.status) : 'unreachable');
}

function getProblem(status: number): ReviewProblem {
  if (status === 404) return 'gone';
  return status === 429 ? 'too-many' : 'failed';
}
