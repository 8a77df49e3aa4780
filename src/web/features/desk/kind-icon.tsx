import type { ReactNode } from 'react';
import type { ContributionKind } from '#contract/desk.ts';
import { FileText, Image, Images, MessagesSquare, Mic, Video } from '#web/ui/screen-icons.ts';

const ICONS = {
  interview: MessagesSquare,
  voice_message: Mic,
  video: Video,
  image: Image,
  document: FileText,
  contributor: Images,
} as const satisfies Readonly<Record<ContributionKind, typeof Mic>>;

/** Decorates the name of a kind. */
export function KindIcon({ kind, className }: Readonly<{ kind: ContributionKind; className?: string }>): ReactNode {
  const Icon = ICONS[kind];
  return <Icon aria-hidden className={className ?? 'size-5'} />;
}
