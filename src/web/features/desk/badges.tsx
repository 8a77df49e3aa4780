import type { ReactNode } from 'react';
import type { ContributionKind, DeskItem, DeskState } from '#contract/desk.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Check, type Icon } from '#web/ui/icons.tsx';
import {
  CircleCheckBig,
  CircleDashed,
  CircleDot,
  CircleOff,
  FileText,
  Image,
  Images,
  MailQuestionMark,
  MessageCircleMore,
  MessagesSquare,
  Mic,
  PencilLine,
  Video,
} from '#web/ui/screen-icons.ts';
import { deskTexts as texts } from './texts.ts';

const LOOK = {
  new: { icon: CircleDot, tone: 'accent' },
  in_progress: { icon: PencilLine, tone: 'caution' },
  for_review: { icon: MailQuestionMark, tone: 'neutral' },
  published: { icon: CircleCheckBig, tone: 'good' },
  rejected: { icon: CircleOff, tone: 'neutral' },
} as const satisfies Readonly<Record<DeskState, Readonly<{ icon: Icon; tone: BadgeTone }>>>;

export const getStateIcon = (state: DeskState): Icon => LOOK[state].icon;

export function StateIcon({ state, className }: Readonly<{ state: DeskState; className: string }>): ReactNode {
  const Shape = LOOK[state].icon;
  return <Shape className={className} />;
}

export function StateBadge({ state }: Readonly<{ state: DeskState }>): ReactNode {
  return renderBadge(LOOK[state].tone, LOOK[state].icon, texts.states[state]);
}

/** Marks a contribution whose posts wait for the team: to take one down, to change one, or to publish all. */
export function PostsBadge({ item }: Readonly<{ item: Pick<DeskItem, 'posts' | 'state'> }>): ReactNode {
  const { approved, changes = 0, withdrawn = 0, total } = item.posts ?? { approved: 0, total: 1 };
  if (withdrawn > 0) return renderBadge('record', CircleOff, texts.withdrawn);
  if (item.state === 'rejected') return null;
  if (changes > 0) return renderBadge('caution', MessageCircleMore, texts.changes(changes));
  return item.state === 'published' || approved < total ? null : renderBadge('good', Check, texts.allApproved);
}

function renderBadge(tone: BadgeTone, icon: Icon, text: string): ReactNode {
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

/** Marks a contribution without contact details (§2.11): its contributor may still be working on it. */
export function UnfinishedBadge(): ReactNode {
  return <span title={texts.unfinishedHint}>{renderBadge('caution', CircleDashed, texts.unfinished)}</span>;
}

const ICONS = {
  interview: MessagesSquare,
  voice_message: Mic,
  video: Video,
  image: Image,
  document: FileText,
  contributor: Images,
} as const satisfies Readonly<Record<ContributionKind, typeof Mic>>;

export function KindIcon({ kind, className }: Readonly<{ kind: ContributionKind; className?: string }>): ReactNode {
  const Icon = ICONS[kind];
  return <Icon className={className ?? 'size-5'} />;
}
