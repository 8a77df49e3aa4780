import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { DeskState } from '#contract/desk.ts';
import { formatNumber } from '#web/ui/format.ts';
import { Anchor } from '#web/ui/link.tsx';
import { boardHref, type DeskFilter } from '../desk-url.ts';
import { deskTexts } from '../texts.ts';
import type { Board } from './board.ts';
import { boardTexts as texts } from './texts.ts';

type ColumnTabsProps = Readonly<{
  filter: DeskFilter;
  columns: readonly DeskState[];
  front: DeskState;
  board: Board;
}>;

/** Where there is room for one column only: which. */
export function ColumnTabs({ filter, columns, front, board }: ColumnTabsProps): ReactNode {
  return (
    <nav aria-label={texts.column} className="-mx-4 mb-3 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul className="flex min-w-max gap-1">
        {columns.map((state) => {
          const column = board[state];
          const count = column.status === 'ready' ? column.counts[state] : undefined;
          return (
            <li key={state}>
              <Anchor
                href={boardHref(filter, state)}
                aria-current={state === front || undefined}
                className={clsx(
                  'touch flex items-center gap-2 rounded-control px-3 transition-colors',
                  state === front ? 'bg-accent-wash font-medium text-accent-ink' : 'text-muted hover:text-ink',
                )}
              >
                {deskTexts.states[state]}
                {count !== undefined && <span className="tabular text-sm">{formatNumber(count)}</span>}
              </Anchor>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
