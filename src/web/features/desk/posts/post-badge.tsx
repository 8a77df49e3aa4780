import type { ReactNode } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { PostState } from '#contract/posts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Check } from '#web/ui/icons.tsx';
import { CircleCheckBig, CircleOff, MailQuestionMark, MessageCircleMore, PencilLine } from '#web/ui/screen-icons.ts';
import { postTexts as texts } from './texts.ts';

const LOOK = {
  draft: { icon: PencilLine, tone: 'neutral' },
  in_review: { icon: MailQuestionMark, tone: 'accent' },
  approved: { icon: Check, tone: 'good' },
  changes_requested: { icon: MessageCircleMore, tone: 'caution' },
  declined: { icon: CircleOff, tone: 'record' },
  published: { icon: CircleCheckBig, tone: 'good' },
} as const satisfies Readonly<Record<PostState, Readonly<{ icon: typeof PencilLine; tone: BadgeTone }>>>;

export function PostBadge({ state }: Readonly<{ state: PostState }>): ReactNode {
  const { icon: Icon, tone } = LOOK[state];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden className="size-4" />}>
      {texts.states[state]}
    </Badge>
  );
}

/** A channel that this version does not know is shown as it is. */
export function getChannelName(channel: string): string {
  return findChannel(channel)?.name ?? channel;
}
