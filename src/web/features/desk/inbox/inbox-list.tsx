import { NoticeButton } from '#web/ui/notice.tsx';
import { clsx } from 'clsx';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { contributionHref, parseContentId, parseFilter } from '../desk-url.ts';
import { isExhausted, type Listing } from '../listing.ts';
import { ProblemNotice } from '../notices.tsx';
import { stepTo } from '../shortcuts.ts';
import { deskTexts, inboxTexts as texts } from '../texts.ts';
import { useItemLinks } from '../use-item-links.ts';
import { InboxRow } from './inbox-row.tsx';

type InboxListProps = Readonly<{
  listing: Listing;
  rows: RowFocus;
  onMore: () => void;
  onReload: () => void;
  onClear: () => void;
}>;

export function InboxList({ listing, rows, onMore, onReload, onClear }: InboxListProps): ReactNode {
  if (listing.status === 'loading' || isExhausted(listing)) return <Loading />;
  if (listing.status === 'failed') return <ProblemNotice problem={listing.problem} onRetry={onReload} />;
  const { items, search, busy, problem } = listing;
  return (
    <div aria-busy={busy === 'reloading'}>
      {items.length === 0 ? (
        <Empty search={search} onClear={onClear} />
      ) : (
        <ul
          aria-label={texts.contributions}
          className={clsx(
            'divide-y divide-line rounded-card border border-line bg-surface transition-opacity',
            busy === 'reloading' && 'opacity-60 delay-(--motion-leave)',
          )}
        >
          {items.map((item) => (
            <InboxRow
              key={item.id}
              item={item}
              href={contributionHref(item.id, parseFilter(search))}
              link={rows.getLinkRef(item.id)}
              onFocus={() => rows.focused(item.id)}
            />
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <div className="mt-4">
          <ProblemNotice problem={problem} onRetry={items.length === 0 || listing.next === null ? onReload : onMore} />
        </div>
      )}
      <Foot listing={listing} button={rows.moreButton} onMore={onMore} />
    </div>
  );
}

type FootProps = Readonly<{
  listing: Extract<Listing, { status: 'ready' }>;
  button: RowFocus['moreButton'];
  onMore: () => void;
}>;

function Foot({ listing, button, onMore }: FootProps): ReactNode {
  const { items, next, busy } = listing;
  const none = items.length === 0;
  return (
    <div className="mt-5 flex flex-col items-center gap-3">
      <output className={none ? 'sr-only' : 'tabular text-sm text-muted'}>
        {deskTexts.shown(formatNumber(items.length))}
      </output>
      {!none && next !== null && (
        <Button
          ref={button}
          variant="secondary"
          busy={busy === 'more'}
          busyLabel={deskTexts.loadingMore}
          onClick={onMore}
        >
          {deskTexts.loadMore}
        </Button>
      )}
    </div>
  );
}

function Empty({ search, onClear }: Readonly<{ search: string; onClear: () => void }>): ReactNode {
  const filter = parseFilter(search);
  const filtered = Object.keys(filter).some((name) => name !== 'sort');
  if (!filtered) {
    return (
      <EmptyState drawing="inbox" title={texts.emptyTitle}>
        {texts.empty}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      drawing="search"
      title={texts.noneTitle}
      action={<NoticeButton onClick={onClear}>{texts.clear}</NoticeButton>}
    >
      {parseContentId(filter.search ?? '') === undefined ? texts.none : texts.noneSaid}
    </EmptyState>
  );
}

function Loading(): ReactNode {
  return (
    <div className="rounded-card border border-line bg-surface px-5 py-4">
      <output className="text-muted">{deskTexts.loading}</output>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="mt-5 flex gap-4">
          <Skeleton className="size-10" />
          <div className="flex flex-1 flex-col gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-4/5" />
          </div>
        </div>
      ))}
    </div>
  );
}

type RowFocus = ReturnType<typeof useRowFocus>;

type Place = Readonly<{ id: number | undefined; index: number }>;

/**
 * Tracks which row of a list has or had the focus. `search`: the list's filter; the keys begin another list at its top,
 * unless it has the row as well.
 */
export function useRowFocus(ids: readonly number[], search: string) {
  const { getLinkRef, link, moreButton } = useItemLinks([ids]);
  const place = useRef<Place>({ id: undefined, index: -1 });
  const list = useRef({ search, ids });
  useEffect(() => {
    if (list.current.search !== search) place.current = { ...place.current, index: -1 };
    list.current = { search, ids };
  });
  return useMemo(
    () => ({
      getLinkRef,
      focused: (id: number): void => {
        place.current = { id, index: list.current.ids.indexOf(id) };
      },
      /** Returns the index that was reached, or -1. */
      step: (direction: 'next' | 'previous'): number => {
        const order = list.current.ids;
        const index = stepTo(findStart(place.current, order, direction), order.length, direction);
        place.current = { id: order[index], index };
        link(place.current.id)?.focus();
        return index;
      },
      /** Opens the row that last had the focus. */
      open: () => link(place.current.id)?.click(),
      focus: (id: number) => link(id)?.focus(),
      moreButton,
    }),
    [link, getLinkRef, moreButton],
  );
}

/** A removed row's index now belongs to the next row. */
function findStart({ id, index }: Place, order: readonly number[], direction: 'next' | 'previous'): number {
  const now = order.indexOf(id ?? -1);
  if (now !== -1 || index === -1) return now;
  return direction === 'next' ? index - 1 : index;
}
