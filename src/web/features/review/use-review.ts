import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Review, ReviewAnswer, ReviewedPost, ReviewResult } from '#contract/posts.ts';
import { REVIEW_KEY, tryToStore } from '#web/backend/browser-storage.ts';
import { connectReview, type ReviewClient, ReviewError, type ReviewProblem } from '#web/backend/review.ts';
import { useSessionStore } from '#web/backend/session.ts';

/** invalid: the link opens nothing · unreachable: nothing is known yet. */
type ReviewState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'unreachable' }>
  | Readonly<{ status: 'invalid'; key: string | undefined }>
  | Readonly<{ status: 'open'; review: Review }>;

export type GivenAnswer = Readonly<{
  post: number;
  version: number;
  answer: ReviewAnswer | 'withdraw';
  comment: string;
}>;

export type AnswerOutcome = ReviewResult['outcome'] | ReviewProblem;

/** Other tabs with the same review learn of an answer through it. */
const CHANNEL = 'review';
/** Addresses of pictures are valid for an hour; they are renewed before. */
const RENEW_PICTURES_MS = 50 * 60_000;

/** The key of the link in the address bar; another link there opens another review. */
export function useReviewKey(): string | undefined {
  const [key, setKey] = useState(takeReviewKey);
  useEffect(() => {
    const follow = (): void => setKey(takeReviewKey());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return key;
}

/** The review that a key opens, as of the last answer or the last look at it. */
export function useReview(key: string | undefined) {
  const { config } = useSessionStore();
  const client = useMemo(() => (key === undefined ? undefined : connectReview(config, key)), [config, key]);
  const [state, setState] = useState<ReviewState>({ status: 'loading' });
  const pictures = usePictures(client, state.status === 'open' ? state.review : undefined);
  const enqueue = useSerialQueue();

  const show = useCallback((review: Review) => setState({ status: 'open', review }), []);
  const load = useCallback(async (): Promise<void> => {
    const fail = (error: unknown): void => {
      if (getProblem(error) === 'gone') return setState({ status: 'invalid', key });
      return setState((now) => (now.status === 'open' ? now : { status: 'unreachable' }));
    };
    if (client !== undefined) await enqueue(() => client.open().then(show, fail));
  }, [client, key, show, enqueue]);
  const notifyTabs = useOtherTabs(load);
  useReloads(load);

  const answer = async (given: GivenAnswer): Promise<AnswerOutcome> => {
    if (client === undefined) return 'gone';
    return enqueue(async () => {
      try {
        const { outcome, review } = await sendAnswer(client, given);
        show(review);
        notifyTabs();
        return outcome;
      } catch (error) {
        const problem = getProblem(error);
        if (problem === 'gone') setState({ status: 'invalid', key });
        return problem;
      }
    });
  };
  const retry = (): void => {
    setState({ status: 'loading' });
    void load();
  };
  return { state: client === undefined ? ({ status: 'invalid', key } as const) : state, answer, retry, pictures };
}

function getProblem(error: unknown): ReviewProblem {
  return error instanceof ReviewError ? error.problem : 'failed';
}

function sendAnswer(client: ReviewClient, { post, version, answer, comment }: GivenAnswer): Promise<ReviewResult> {
  return answer === 'withdraw' ? client.withdraw(post, comment) : client.answer(post, version, answer, comment);
}

/** Looks when the page is opened and shown again. */
function useReloads(load: () => Promise<void>): void {
  useEffect(() => {
    const look = (): void => void (document.visibilityState === 'visible' && load());
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [load]);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** One request after the other, so that an older answer of the server never replaces a newer one. */
function useSerialQueue() {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback(<T>(step: () => Promise<T>): Promise<T> => {
    const next = last.current.then(step);
    last.current = next.catch(() => undefined);
    return next;
  }, []);
}

function useOtherTabs(load: () => Promise<void>): () => void {
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    opened.addEventListener('message', () => void load());
    channel.current = opened;
    return () => opened.close();
  }, [load]);
  return useCallback(() => channel.current?.postMessage('answered'), []);
}

/** Missing addresses leave the alternative texts, so no error is shown for them. */
function usePictures(client: ReviewClient | undefined, review: Review | undefined) {
  /** Signed addresses by path; undefined while they are requested. */
  const [addresses, setAddresses] = useState<ReadonlyMap<string, string>>();
  const renewed = useRef(0);
  const load = useCallback(async (): Promise<ReadonlyMap<string, string>> => {
    const found = await client?.pictures().catch(() => undefined);
    if (found !== undefined) renewed.current = Date.now();
    // Addresses that could not be renewed may still hold.
    setAddresses((now) => found ?? now ?? NONE);
    return found ?? NONE;
  }, [client]);
  const paths = review?.posts.flatMap((post) => post.pictures.map(({ path }) => path)).join('\n') ?? '';
  useEffect(() => {
    if (paths === '') return undefined;
    renewed.current = 0;
    // Also where the clock of the device was set back.
    const renew = (): void => void (Math.abs(Date.now() - renewed.current) >= RENEW_PICTURES_MS && load());
    renew();
    const timer = setInterval(renew, RENEW_PICTURES_MS / 50);
    // On a phone that is locked no timer runs.
    document.addEventListener('visibilitychange', renew);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', renew);
    };
  }, [paths, load]);
  return { addresses, load };
}

/** As the database takes one: nothing shorter holds 256 bits. */
const KEY = /^[A-Za-z0-9_-]{43,128}$/;

/** Where the storage of this tab did not take it. */
let unstored: string | undefined;

/**
 * Takes the key out of the address bar, so that it is not read there or in the history, and keeps it for this tab. A
 * link that was cut on its way opens nothing, also where an earlier one did.
 */
function takeReviewKey(): string | undefined {
  const given = new URLSearchParams(window.location.hash.slice(1)).get('k');
  if (given === null) return sessionStorage.getItem(REVIEW_KEY) ?? unstored;
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  sessionStorage.removeItem(REVIEW_KEY);
  unstored = KEY.test(given) && !tryToStore(sessionStorage, REVIEW_KEY, given) ? given : undefined;
  return sessionStorage.getItem(REVIEW_KEY) ?? unstored;
}

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
