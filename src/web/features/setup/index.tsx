import { clsx } from 'clsx';
import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { PartState, SetupPartName, SetupParts } from '#contract/setup-parts.ts';
import { connected } from '#web/backend/server-state.tsx';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { BackLink } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { PartList } from './parts/part-list.tsx';
import { PART_TEXTS, partsTexts } from './parts/texts.ts';
import { countReady, findNextStep, PART_ORDER, useSetupParts, type UseSetupParts } from './parts/use-setup-parts.ts';
import { setupTexts as texts } from './texts.ts';

/** /admin/einrichtung: what this installation can do, what is missing, and how to switch it on. */
export const SetupScreen = connected(Setup);

function Setup(): ReactNode {
  const setup = useSetupParts();
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 sm:py-10">
      <BackLink href="/admin">{texts.back}</BackLink>
      <div className="mt-2 mb-8">
        <ScreenTitle>{texts.title}</ScreenTitle>
        <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
      </div>
      <Parts {...setup} />
    </div>
  );
}

function Parts({ state, reload }: UseSetupParts): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(readHash);
  const isReady = state.status === 'ready';
  useEffect(() => {
    const [part] = readHash();
    if (isReady && part !== undefined) document.querySelector(`#${CSS.escape(part)}`)?.scrollIntoView();
  }, [isReady]);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'failed') {
    const retry = <RetryButton onClick={reload} />;
    return <Notice tone="error" live title={texts.problems[state.problem]} action={retry} />;
  }
  const toggle = (part: SetupPartName): void =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(part)) after.add(part);
      return after;
    });
  return (
    <>
      <Summary
        parts={state.parts}
        onOpen={(part) => {
          flushSync(() => setOpen((before) => new Set([...before, part])));
          document.querySelector<HTMLElement>(`#${part}-head`)?.focus();
        }}
      />
      <PartList parts={state.parts} open={open} onToggle={toggle} />
    </>
  );
}

/** The part that a link leads to. */
function readHash(): ReadonlySet<string> {
  const part = location.hash.slice(1);
  return new Set(part === '' ? [] : [part]);
}

function Loading(): ReactNode {
  return (
    <>
      <output className="text-muted">{texts.loading}</output>
      <Skeleton className="mt-4 h-32 w-full" />
      <Skeleton className="mt-6 h-16 w-full" />
      <Skeleton className="mt-2 h-16 w-full" />
      <Skeleton className="mt-2 h-16 w-full" />
    </>
  );
}

const LOOK: Readonly<Record<PartState, string>> = {
  ready: 'bg-good',
  missing: 'bg-line-strong',
  broken: 'bg-record',
};

/** How much is in order, and what to do next. */
function Summary({ parts, onOpen }: Readonly<{ parts: SetupParts; onOpen: (part: SetupPartName) => void }>): ReactNode {
  const next = findNextStep(parts);
  const states = PART_ORDER.map((name) => ({ name, state: parts[name].state }));
  return (
    <div className="mb-6 rounded-card border border-line bg-surface p-5 sm:p-6">
      <output className="tabular block text-xl font-semibold tracking-tight">
        {partsTexts.summary(countReady(parts), PART_ORDER.length)}
      </output>
      <div aria-hidden className="mt-4 flex gap-1">
        {ORDER_OF_STATES.flatMap((wanted) =>
          states
            .filter(({ state }) => state === wanted)
            .map(({ name, state }) => <span key={name} className={clsx('h-2 flex-1 rounded-full', LOOK[state])} />),
        )}
      </div>
      {next === undefined ? (
        <p className="mt-4">{partsTexts.allReady}</p>
      ) : (
        <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-3">
          <span className="text-muted">{partsTexts.next}</span>
          <Button icon={ArrowRight} onClick={() => onOpen(next.part)}>
            {PART_TEXTS[next.part].next[next.state]}
          </Button>
        </div>
      )}
    </div>
  );
}

const ORDER_OF_STATES = ['ready', 'broken', 'missing'] as const;
