import type { PostState, ReviewAnswer } from '#contract/posts.ts';

/** What happens to a post. `save` and `publish` are the team's, the answers are the contributor's. */
type PostAction =
  | Readonly<{ by: 'team'; action: 'save' | 'send' | 'take_back' | 'stop' | 'publish' }>
  | Readonly<{ by: 'contributor'; action: ReviewAnswer }>;

type Moves = Readonly<Partial<Record<string, PostState>>>;

const ANSWERED = { approve: 'approved', change: 'changes_requested', decline: 'declined' } as const;

/** By state and action, the state that follows; what is missing is refused. The database has the same table. */
const TEAM: Readonly<Record<PostState, Moves>> = {
  draft: { save: 'draft', send: 'in_review', stop: 'declined' },
  in_review: { save: 'draft', take_back: 'draft', stop: 'declined' },
  approved: { save: 'draft', take_back: 'draft', stop: 'declined', publish: 'published' },
  changes_requested: { save: 'draft', take_back: 'draft', stop: 'declined' },
  declined: { save: 'draft', take_back: 'draft' },
  // Another address of the same text; a text that is out there is never edited.
  published: { publish: 'published', stop: 'declined' },
};

const CONTRIBUTOR: Readonly<Record<PostState, Moves>> = {
  draft: {},
  in_review: ANSWERED,
  approved: ANSWERED,
  changes_requested: ANSWERED,
  // Only where the contributor declined; the database looks who it was.
  declined: ANSWERED,
  published: {},
};

/** The state after an action; undefined where it is not allowed. */
export function movePost(state: PostState, { by, action }: PostAction): PostState | undefined {
  return (by === 'team' ? TEAM : CONTRIBUTOR)[state][action];
}

/** Whether the team or the contributor may move a post from one state to the other. */
export function mayFollow(before: PostState, after: PostState): boolean {
  return [TEAM, CONTRIBUTOR].some((moves) => Object.values(moves[before]).includes(after));
}
