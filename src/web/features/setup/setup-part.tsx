import { clsx } from 'clsx';
import { useState, type ReactNode } from 'react';
import type { PartState } from '#contract/setup-parts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Check, ChevronDown, TriangleAlert, type Icon } from '#web/ui/icons.tsx';
import { CircleDashed } from '#web/ui/screen-icons.ts';
import { partsTexts } from './parts/texts.ts';

export type SetupPartProps = Readonly<{
  /** In the address, after '#'. */
  name: string;
  title: string;
  /** One line under the title. */
  text: string;
  state: PartState;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}>;

/** One part: a row that opens. Once opened its content stays, so that what was begun in it goes on. */
export function SetupPart({ name, title, text, state, open, onToggle, children }: SetupPartProps): ReactNode {
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return (
    <li id={name} className="scroll-mt-6 border-t border-line first:border-t-0">
      <h2>
        <button
          type="button"
          id={`${name}-head`}
          aria-expanded={open}
          aria-controls={`${name}-content`}
          onClick={onToggle}
          className="touch flex w-full items-start gap-3 p-4 text-left transition-colors hover:bg-sunken sm:p-5"
        >
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <span className="text-lg font-semibold">{title}</span>
              <StateBadge state={state} />
            </span>
            <span className="mt-1 block max-w-measure font-normal wrap-anywhere text-muted">{text}</span>
          </span>
          <ChevronDown aria-hidden className={clsx('mt-1 size-5 shrink-0 text-muted', open && 'rotate-180')} />
        </button>
      </h2>
      <section
        id={`${name}-content`}
        aria-labelledby={`${name}-head`}
        hidden={!open}
        className="px-4 pt-1 pb-6 sm:px-5"
      >
        {wasOpen && children}
      </section>
    </li>
  );
}

const LOOK: Readonly<Record<PartState, Readonly<{ tone: BadgeTone; icon: Icon }>>> = {
  ready: { tone: 'good', icon: Check },
  missing: { tone: 'neutral', icon: CircleDashed },
  broken: { tone: 'record', icon: TriangleAlert },
};

function StateBadge({ state }: Readonly<{ state: PartState }>): ReactNode {
  const { tone, icon: StateIcon } = LOOK[state];
  return (
    <Badge tone={tone} icon={<StateIcon aria-hidden className="size-4" />}>
      {partsTexts.states[state]}
    </Badge>
  );
}
