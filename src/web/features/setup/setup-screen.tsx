import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { SetupPartName } from '#contract/setup-parts.ts';
import { Button } from '#web/ui/button.tsx';
import { BackLink } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { PartList } from './parts/part-list.tsx';
import { Summary } from './parts/summary.tsx';
import { useSetupParts, type UseSetupParts } from './parts/use-setup-parts.ts';
import { setupTexts as texts } from './texts.ts';

/** /admin/einrichtung: what this installation can do, what is missing, and how to switch it on. */
export function SetupScreen(): ReactNode {
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
    const retry = (
      <Button variant="secondary" onClick={reload}>
        {texts.retry}
      </Button>
    );
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
