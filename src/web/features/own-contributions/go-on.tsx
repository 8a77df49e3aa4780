import type { ReactNode } from 'react';
import type { OwnContribution } from '#contract/own-contributions.ts';
import { Button } from '#web/ui/button.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { texts } from './texts.ts';
import { findWayOn } from './unfinished.ts';

/** Goes on with an unfinished contribution; `label` tells several of them apart. */
export function GoOn({ row, label }: Readonly<{ row: OwnContribution; label?: string }>): ReactNode {
  const navigate = useNavigate();
  const way = findWayOn(row);
  if (way === undefined) return null;
  return (
    <Button
      icon={<ArrowRight aria-hidden className="size-5" />}
      aria-label={label}
      onClick={() => navigate(way.href, { state: way.state })}
    >
      {texts.goOn}
    </Button>
  );
}
