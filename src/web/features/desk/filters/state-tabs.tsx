import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { DESK_STATES, type DeskPage } from '#contract/desk.ts';
import { formatNumber } from '#web/ui/format.ts';
import { Anchor } from '#web/ui/link.tsx';
import { formatFilter, INBOX_PATH, type DeskFilter } from '../desk-url.ts';
import { deskTexts } from '../texts.ts';
import { filterTexts as texts } from './texts.ts';
import { changed } from './use-filter.ts';

/** A search stops counting here (`DeskPageSchema.counts`). */
const COUNTED = 10_000;

type StateTabsProps = Readonly<{ filter: DeskFilter; counts: DeskPage['counts'] | undefined }>;

/** Links to all contributions and to each state, with counts. */
export function StateTabs({ filter, counts }: StateTabsProps): ReactNode {
  const chosen = filter.states ?? [];
  const tabs = [
    { name: texts.any, states: undefined, current: chosen.length === 0, count: sumCounts(counts) },
    ...DESK_STATES.map((state) => ({
      name: deskTexts.states[state],
      states: [state],
      current: chosen.includes(state),
      count: counts?.[state],
    })),
  ];
  return (
    <nav aria-label={texts.states} className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul className="flex min-w-max gap-1 border-b border-line">
        {tabs.map(({ name, states, current, count }) => (
          <li key={name}>
            <Anchor
              href={`${INBOX_PATH}${formatFilter(changed(filter, { states }))}`}
              aria-current={current || undefined}
              className={clsx(
                'touch -mb-px flex items-center gap-2 rounded-t-control border-b-2 px-3 transition-colors',
                current ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink',
              )}
            >
              {name}
              {count !== undefined && (
                <span className="tabular text-sm text-muted">{countText(count, filter.search !== undefined)}</span>
              )}
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function sumCounts(counts: DeskPage['counts'] | undefined): number | undefined {
  const known = Object.values(counts ?? {});
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function countText(count: number, searching: boolean): string {
  return searching && count >= COUNTED ? `${formatNumber(COUNTED)}+` : formatNumber(count);
}
