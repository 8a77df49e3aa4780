import { act, render, renderHook, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { POST_STATES, type PostState, type Review, type ReviewedPost } from '#contract/posts.ts';
import { movePost } from '#tests/support/post-moves.ts';
import { ReviewError, type ReviewClient } from '#web/backend/review.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { STUB_CONFIG } from '#tests/support/web/stub-server.ts';
import { ReviewScreen } from './index.tsx';
import { getReviewEnd } from './index.tsx';
import { texts } from './texts.ts';
import { countAnswered, getPostStatus, mayAnswer, type PostStatus, useReview } from './use-review.ts';

const open = vi.fn<(key: string) => Promise<Review>>();
const pictures = vi.fn<ReviewClient['pictures']>();
vi.mock('#web/backend/review.ts', async (original) => ({
  ...(await original<object>()),
  connectReview: (_: unknown, key: string) => ({ open: () => open(key), pictures: () => pictures() }),
}));

const store = createSessionStore(STUB_CONFIG, () => Promise.reject(new Error('not needed here')));

function Session({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <SessionProvider value={store}>{children}</SessionProvider>;
}

function makePost(state: PostState, facts: Partial<ReviewedPost> = {}): ReviewedPost {
  const base = { id: 1, channel: 'linkedin', version: 1, body: '', pictures: [] };
  return { ...base, publishedUrl: null, publishedAt: null, withdrawnAt: null, answer: null, state, ...facts };
}

const declined = { answer: 'decline', comment: '', at: '2026-11-22T10:00:00Z' } as const;

test.each<[PostState, Partial<ReviewedPost>, PostStatus]>([
  ['in_review', {}, 'waiting'],
  ['approved', {}, 'answered'],
  ['changes_requested', {}, 'answered'],
  ['declined', { answer: declined }, 'answered'],
  ['declined', {}, 'stopped'],
  ['draft', { answer: declined }, 'working'],
  ['published', {}, 'published'],
  ['published', { withdrawnAt: '2026-11-22T10:00:00Z' }, 'withdrawn'],
])('A post in %s with %o is %s for the contributor (posts)', (state, facts, status) => {
  expect(getPostStatus(makePost(state, facts))).toBe(status);
});

test('An answer is offered exactly where the table of states takes one (posts)', () => {
  for (const state of POST_STATES) {
    const taken = movePost(state, { by: 'contributor', action: 'approve' }) !== undefined;
    expect([state, mayAnswer(makePost(state, { answer: declined }))]).toEqual([state, taken]);
  }
});

test('Counts the answered ones of those that are asked about (posts)', () => {
  const posts = [makePost('in_review'), makePost('approved'), makePost('published'), makePost('draft')];
  expect(countAnswered(posts)).toEqual({ answered: 1, all: 2 });
});

const drafted = makePost('draft');
const answered = makePost('approved', { answer: { ...declined, answer: 'approve' } });

test.each<[string, readonly ReviewedPost[], ReturnType<typeof getReviewEnd>]>([
  ['no post', [], 'nothing'],
  ['one that waits', [answered, makePost('in_review')], 'open'],
  ['all answered', [answered], 'done'],
  ['all published', [makePost('published')], 'done'],
  ['one answered and one taken back', [answered, drafted], 'done'],
  ['one answered before it was taken back', [makePost('draft', { answer: declined })], 'done'],
  ['all taken back without an answer', [drafted, drafted], 'working'],
  ['all stopped without an answer', [makePost('declined')], 'nothing'],
])('A page with %s ends like that (posts)', (_name, posts, end) => {
  expect(getReviewEnd(posts)).toBe(end);
});

const EMPTY: Review = { firstName: 'Ada', sources: { transcript: '', answers: {} }, posts: [] };

test('Addresses of pictures that cannot be renewed are kept (posts)', async () => {
  const found = new Map([['1/a.webp', '/a']]);
  open.mockResolvedValueOnce(EMPTY);
  pictures.mockResolvedValueOnce(found).mockRejectedValueOnce(new ReviewError('unreachable'));
  const { result } = renderHook(() => useReview('a'), { wrapper: Session });
  await waitFor(() => expect(result.current.state.status).toBe('open'));
  await act(() => result.current.pictures.load());
  await act(() => result.current.pictures.load());
  expect([pictures.mock.calls.length, result.current.pictures.addresses]).toEqual([2, found]);
});

test('Addresses of pictures are renewed when the page is shown again after an hour without timers (posts)', async () => {
  const shown = makePost('in_review', { pictures: [{ path: '1/a.webp', type: 'image/webp', alt: '' }] });
  open.mockResolvedValue({ ...EMPTY, posts: [shown] });
  pictures.mockReset().mockResolvedValue(new Map());
  renderHook(() => useReview('a'), { wrapper: Session });
  await waitFor(() => expect(pictures).toHaveBeenCalledTimes(1));
  const showAgain = () => act(async () => void document.dispatchEvent(new Event('visibilitychange')));
  await showAgain();
  const later = Date.now() + 3_600_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later);
  await showAgain();
  expect(pictures).toHaveBeenCalledTimes(2);
  clock.mockRestore();
  await showAgain();
  expect(pictures, 'the clock was set back by an hour').toHaveBeenCalledTimes(3);
});

test('Nobody is thanked for answers that were never given (posts)', async () => {
  open.mockResolvedValueOnce({ ...EMPTY, posts: [drafted] });
  window.location.hash = `k=${'c'.repeat(43)}`;
  render(<ReviewScreen loadRecorder={() => Promise.reject(new Error('not needed here'))} />, { wrapper: Session });
  await screen.findByText(texts.working.title);
  expect(screen.queryByText(texts.done.title('Ada'))).toBeNull();
});

test('Another link in the address bar does not show the review of the one before (posts)', async () => {
  open.mockResolvedValueOnce(EMPTY).mockRejectedValueOnce(new ReviewError('unreachable'));
  window.location.hash = `k=${'a'.repeat(43)}`;
  render(<ReviewScreen loadRecorder={() => Promise.reject(new Error('not needed here'))} />, { wrapper: Session });
  await screen.findByText(texts.hello('Ada'));
  window.location.hash = `k=${'b'.repeat(43)}`;
  await screen.findByText(texts.unreachable.title);
  expect(open).toHaveBeenLastCalledWith('b'.repeat(43));
});
