import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { PartState, SetupPartName, SetupParts } from '#contract/setup-parts.ts';
import { Button } from '#web/ui/button.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { countReady, findNextStep, PART_ORDER } from './next-step.ts';
import { PART_TEXTS, partsTexts as texts } from './texts.ts';

export type SummaryProps = Readonly<{ parts: SetupParts; onOpen: (part: SetupPartName) => void }>;

const LOOK: Readonly<Record<PartState, string>> = {
  ready: 'bg-good',
  missing: 'bg-line-strong',
  broken: 'bg-record',
};

/** How much is in order, and what to do next. */
export function Summary({ parts, onOpen }: SummaryProps): ReactNode {
  const next = findNextStep(parts);
  const states = PART_ORDER.map((name) => ({ name, state: parts[name].state }));
  return (
    <div className="mb-6 rounded-card border border-line bg-surface p-5 sm:p-6">
      <output className="tabular block text-xl font-semibold tracking-tight">
        {texts.summary(countReady(parts), PART_ORDER.length)}
      </output>
      <div aria-hidden className="mt-4 flex gap-1">
        {ORDER_OF_STATES.flatMap((wanted) =>
          states
            .filter(({ state }) => state === wanted)
            .map(({ name, state }) => <span key={name} className={clsx('h-2 flex-1 rounded-full', LOOK[state])} />),
        )}
      </div>
      {next === undefined ? (
        <p className="mt-4">{texts.allReady}</p>
      ) : (
        <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-3">
          <span className="text-muted">{texts.next}</span>
          <Button icon={<ArrowRight aria-hidden className="size-5" />} onClick={() => onOpen(next.part)}>
            {PART_TEXTS[next.part].next[next.state]}
          </Button>
        </div>
      )}
    </div>
  );
}

const ORDER_OF_STATES = ['ready', 'broken', 'missing'] as const;
