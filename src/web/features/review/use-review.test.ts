import { expect, test } from 'vitest';
import { movePost, POST_STATES, type PostState, type ReviewedPost } from '#contract/posts.ts';
import { countAnswered, getPostStatus, mayAnswer, type PostStatus } from './use-review.ts';

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
