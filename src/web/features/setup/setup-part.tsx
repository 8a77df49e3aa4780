import type { ReactNode } from 'react';
import { Badge } from '#web/ui/badge.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Check, TriangleAlert } from '#web/ui/icons.tsx';
import { setupTexts as texts } from './texts.ts';

export type SetupPartProps = Readonly<{
  title: string;
  /** undefined while it is loading. */
  state: 'ready' | 'missing' | undefined;
  children: ReactNode;
}>;

/** The frame of one part of the page. */
export function SetupPart({ title, state, children }: SetupPartProps): ReactNode {
  return (
    <SectionCard title={title} action={state && <StateBadge state={state} />}>
      {children}
    </SectionCard>
  );
}

function StateBadge({ state }: Readonly<{ state: 'ready' | 'missing' }>): ReactNode {
  const Icon = state === 'ready' ? Check : TriangleAlert;
  return (
    <Badge tone={state === 'ready' ? 'good' : 'caution'} icon={<Icon aria-hidden className="size-4" />}>
      {texts.states[state]}
    </Badge>
  );
}
