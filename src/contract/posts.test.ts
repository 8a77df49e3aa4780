import { expect, test } from 'vitest';
import { mayFollow, movePost } from '#tests/support/post-moves.ts';
import { POST_LIMITS, POST_STATES, PostDraftSchema, REVIEW_ANSWERS, type PostState } from './posts.ts';

const TEAM_ACTIONS = ['save', 'send', 'take_back', 'stop', 'publish'] as const;

test.each<[PostState, string[], boolean]>([
  ['draft', ['draft', 'in_review', '-', 'declined', '-'], false],
  ['in_review', ['draft', '-', 'draft', 'declined', '-'], true],
  ['approved', ['draft', '-', 'draft', 'declined', 'published'], true],
  ['changes_requested', ['draft', '-', 'draft', 'declined', '-'], true],
  ['declined', ['draft', '-', 'draft', '-', '-'], true],
  ['published', ['-', '-', '-', 'declined', 'published'], false],
])(
  'A post that is %s: what the team may do, and whether the contributor may answer (posts)',
  (state, team, answered) => {
    expect(TEAM_ACTIONS.map((action) => movePost(state, { by: 'team', action }) ?? '-')).toEqual(team);
    expect(REVIEW_ANSWERS.map((action) => movePost(state, { by: 'contributor', action }))).toEqual(
      answered ? ['approved', 'changes_requested', 'declined'] : [undefined, undefined, undefined],
    );
  },
);

test('Every state is reached from the draft, and nothing but an approved post is published (posts)', () => {
  const reached = new Set<PostState>(['draft']);
  for (const before of reached) for (const after of POST_STATES) if (mayFollow(before, after)) reached.add(after);
  expect([...reached].toSorted()).toEqual([...POST_STATES].toSorted());
  const publishable = POST_STATES.filter((state) => state !== 'published' && mayFollow(state, 'published'));
  expect(publishable).toEqual(['approved']);
});

const DRAFT = { body: 'Text', pictures: [{ upload: 1, alt: '', used: true }], origin: 'person', model: null };

test.each([
  [DRAFT, true],
  [{ ...DRAFT, origin: 'model', model: 'llama' }, true],
  [{ ...DRAFT, origin: 'model' }, false],
  [{ ...DRAFT, model: 'llama' }, false],
  [{ ...DRAFT, body: 'x'.repeat(POST_LIMITS.body + 1) }, false],
  [{ ...DRAFT, pictures: [{ upload: 0, alt: '', used: true }] }, false],
])('A draft names its model where one wrote it, and keeps to the limits: case %# (posts)', (draft, valid) => {
  expect(PostDraftSchema.safeParse(draft).success).toBe(valid);
});
