import type { ChannelId } from '#contract/channels.ts';
import type { ContributionKind, DeskState } from '#contract/desk.ts';
import type { Role } from '#contract/roles.ts';
import type { Topic } from '#contract/areas.ts';
import type { Scene } from './scenes.ts';

export type MadeFile =
  | Readonly<{ make: 'picture'; scene: Scene }>
  | Readonly<{ make: 'film'; scene: Scene }>
  /** The recording of the sample's transcript. */
  | Readonly<{ make: 'recording'; pitch: number }>
  | Readonly<{ make: 'document'; title: string; paragraphs: readonly string[] }>;

/** What happens to a post, in this order; an answer needs a text that was sent. */
export type PostStep =
  | Readonly<{ write: string; model?: string }>
  | 'send'
  | Readonly<{ answer: 'approve' | 'change' | 'decline'; comment?: string }>
  | 'stop'
  | 'publish'
  | Readonly<{ withdraw: string }>;

export type SamplePost = Readonly<{
  channel: ChannelId;
  /** The alternative texts of its pictures: the first ones of the sample. */
  alts?: readonly string[];
  steps: readonly PostStep[];
}>;

/** A made contribution and how far the team has come with it. */
export type Sample = Readonly<{
  /** Stands for the sample in later runs, so it never changes. */
  key: string;
  /** Whose first account hands it in; a guest has no login. The area follows from the role (D2). */
  by: Role | 'guest';
  kind: ContributionKind;
  topic?: Topic;
  daysAgo: number;
  /** Left out where the contributor has not finished (§2.11). */
  person?: readonly [firstName: string, lastName: string];
  /** What was said in an interview, the interviewer first. */
  turns?: readonly string[];
  transcript?: string;
  answers?: Readonly<Record<'who' | 'what' | 'when' | 'where' | 'why', string>>;
  files?: readonly MadeFile[];
  state?: DeskState;
  assigned?: boolean;
  notes?: readonly string[];
  /** The team's words to the contributor when it comes back for review. */
  review?: string;
  posts?: readonly SamplePost[];
}>;
