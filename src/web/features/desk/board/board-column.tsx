import { clsx } from 'clsx';
import { type DragEvent, type ReactNode, type RefCallback, useState } from 'react';
import type { DeskState } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { useEntryInView } from '#web/ui/use-in-view.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { StateIcon } from '../badges.tsx';
import { boardHref, type DeskFilter } from '../desk-url.ts';
import { isExhausted, type Listing } from '../listing.ts';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { boardTexts as texts } from './texts.ts';
import { CARD_TYPE } from './board-card.tsx';

type BoardColumnProps = Readonly<{
  state: DeskState;
  column: Listing;
  /** How many there are. */
  count: string | undefined;
  /** Receives the id of a dropped card. */
  onDrop: (id: number) => void;
  moreButton: RefCallback<HTMLButtonElement>;
  onMore: () => void;
  onReload: () => void;
  /** The cards of the column. */
  children: ReactNode;
}>;

export function BoardColumn({ state, column, count, onDrop, children, ...content }: BoardColumnProps): ReactNode {
  const [over, setOver] = useState(false);
  const name = deskTexts.states[state];
  const takes = (event: DragEvent): boolean => event.dataTransfer.types.includes(CARD_TYPE);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- menu and keys do the same
    <section
      aria-label={name}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const id = Number(event.dataTransfer.getData(CARD_TYPE));
        if (!takes(event) || id === 0) return;
        event.preventDefault();
        onDrop(id);
      }}
      className={clsx(
        'flex min-w-0 flex-col rounded-card p-2 transition-colors',
        over ? 'bg-accent-wash outline-2 outline-accent outline-dashed' : 'bg-sunken',
      )}
    >
      <h2 className="flex items-center gap-2 px-2 pt-1.5 pb-3 font-semibold">
        <StateIcon state={state} className="size-4.5 text-muted" />
        {name}
        {count !== undefined && <span className="tabular text-sm font-normal text-muted">{count}</span>}
      </h2>
      <Content column={column} name={name} {...content}>
        {children}
      </Content>
    </section>
  );
}

type ContentProps = Omit<BoardColumnProps, 'state' | 'count' | 'onDrop'> & Readonly<{ name: string }>;

function Content({ column, name, moreButton, onMore, onReload, children }: ContentProps): ReactNode {
  if (column.status === 'loading' || isExhausted(column)) {
    return (
      <div className="flex flex-col gap-2 px-2 pb-2">
        <output className="text-sm text-muted">{deskTexts.loading}</output>
        {[0, 1, 2].map((card) => (
          <Skeleton key={card} className="h-24 w-full" />
        ))}
      </div>
    );
  }
  if (column.status === 'failed') return <ProblemNotice problem={column.problem} onRetry={onReload} />;
  return (
    <div aria-busy={column.busy === 'reloading'} className="flex flex-1 flex-col gap-2">
      {column.items.length === 0 ? (
        <p className="rounded-control border border-dashed border-line-strong px-3 py-6 text-center text-sm text-muted">
          {texts.nothing}
        </p>
      ) : (
        <ul aria-label={name} className="-m-1 flex flex-col gap-2 p-1 lg:max-h-[calc(100dvh-17rem)] lg:overflow-y-auto">
          {children}
        </ul>
      )}
      {column.problem !== undefined && <ProblemNotice problem={column.problem} onRetry={onReload} />}
      {column.next !== null && (
        <Button
          ref={moreButton}
          variant="quiet"
          aria-label={texts.more(name)}
          busy={column.busy === 'more'}
          busyLabel={deskTexts.loadingMore}
          onClick={onMore}
        >
          {deskTexts.loadMore}
        </Button>
      )}
    </div>
  );
}

type ColumnTabsProps = Readonly<{
  filter: DeskFilter;
  columns: readonly DeskState[];
  front: DeskState;
  getCount: (state: DeskState) => string | undefined;
}>;

/** Chooses the column on a phone, which shows one at a time. */
export function ColumnTabs({ filter, columns, front, getCount }: ColumnTabsProps): ReactNode {
  const row = useEntryInView();
  return (
    <nav ref={row} aria-label={texts.column} className="-mx-4 mb-3 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul className="flex min-w-max gap-1">
        {columns.map((state) => (
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
              <span className="tabular min-w-[2ch] text-sm">{getCount(state)}</span>
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
}
