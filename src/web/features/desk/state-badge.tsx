import type { ReactNode } from 'react';
import type { DeskState } from '#contract/desk.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import {
  CircleCheckBig,
  CircleDashed,
  CircleDot,
  CircleOff,
  MailQuestionMark,
  PencilLine,
} from '#web/ui/screen-icons.ts';
import { deskTexts as texts } from './texts.ts';

const LOOK = {
  new: { icon: CircleDot, tone: 'accent' },
  in_progress: { icon: PencilLine, tone: 'caution' },
  for_review: { icon: MailQuestionMark, tone: 'neutral' },
  published: { icon: CircleCheckBig, tone: 'good' },
  rejected: { icon: CircleOff, tone: 'neutral' },
} as const satisfies Readonly<Record<DeskState, Readonly<{ icon: typeof CircleDot; tone: BadgeTone }>>>;

export function StateIcon({ state, className }: Readonly<{ state: DeskState; className?: string }>): ReactNode {
  const Icon = LOOK[state].icon;
  return <Icon aria-hidden className={className ?? 'size-4'} />;
}

export function StateBadge({ state }: Readonly<{ state: DeskState }>): ReactNode {
  return (
    <Badge tone={LOOK[state].tone} icon={<StateIcon state={state} />}>
      {texts.states[state]}
    </Badge>
  );
}

/** Marks a contribution without contact details (§2.11): its contributor may still be working on it. */
export function UnfinishedBadge(): ReactNode {
  return (
    <span title={texts.unfinishedHint}>
      <Badge tone="caution" icon={<CircleDashed aria-hidden className="size-4" />}>
        {texts.unfinished}
      </Badge>
    </span>
  );
}
