import { clsx } from 'clsx';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { DESK_STATES, type DeskPage } from '#contract/desk.ts';
import { useUser } from '#web/backend/session.ts';
import { Anchor } from '#web/ui/link.tsx';
import { useEntryInView } from '#web/ui/use-in-view.ts';
import { DeskHeader, HelpDialog } from '../desk-header.tsx';
import { type DeskFilter, formatFilter, INBOX_PATH } from '../desk-url.ts';
import { Chips, ContentIdLink, SearchField } from '../filters/filter-bar.tsx';
import { FilterFields, FilterSheet } from '../filters/filter-fields.tsx';
import { changed, useFilter } from '../filters/use-filter.ts';
import { applyUpdate, formatCount, updateItems } from '../listing.ts';
import { ConnectionLostNotice, NewItemsNotice } from '../notices.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { deskTexts, filterTexts, filterTexts as texts } from '../texts.ts';
import { useColleagues } from '../use-desk.tsx';
import { useListUpdates } from '../use-list-updates.ts';
import { INBOX_PAGE, useListing } from '../use-listing.ts';
import { AssignAll } from './assign-all.tsx';
import { InboxList, useRowFocus } from './inbox-list.tsx';

/** /admin/eingang lists the contributions. `address`: the search part of the address. */
export function InboxScreen({ address }: Readonly<{ address: string }>): ReactNode {
  const ownId = useUser()?.id ?? '';
  const { filter, search, change, searchFor, clear } = useFilter(INBOX_PATH, address);
  const {
    listing,
    change: changeRows,
    more,
    reload,
  } = useListing({ search, pageSize: INBOX_PAGE, refresh: 'on-entry' });
  const colleagues = useColleagues();
  const [help, setHelp] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ready = listing.status === 'ready' ? listing : undefined;
  const shown = ready?.items ?? [];
  const rows = useRowFocus(
    shown.map(({ id }) => id),
    search,
  );
  const away = useListUpdates(search, [listing], (update) => changeRows((before) => applyUpdate(before, update)));
  useEffect(() => {
    if (ready?.opened !== undefined) rows.focus(ready.opened);
    // oxlint-disable-next-line react/exhaustive-deps -- once, on the way back from a contribution
  }, []);
  useShortcuts({
    next: () => {
      if (rows.step('next') === (ready?.items.length ?? 0) - 1) more();
    },
    previous: () => void rows.step('previous'),
    open: rows.open,
    search: () => field.current?.focus(),
    help: () => setHelp(true),
  });
  const fields = { filter, colleagues, ownId, onChange: change };
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-10">
      <DeskHeader view="list" search={search} onHelp={() => setHelp(true)} />
      <StateTabs filter={filter} counts={ready?.counts} />
      <div className="mt-5 grid gap-x-10 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <section
          aria-label={filterTexts.title}
          className={clsx(
            'sticky top-[calc(var(--header-height)+1rem)] -m-2 hidden',
            'max-h-[calc(100dvh-var(--header-height)-2rem)] self-start overflow-y-auto p-2 pb-10',
            '[mask-image:linear-gradient(to_bottom,black_calc(100%-2.5rem),transparent)] lg:block',
          )}
        >
          <FilterFields {...fields} />
        </section>
        <div className="min-w-0">
          <div className="mb-3 flex items-center gap-2">
            <div className="min-w-0 flex-1">
              <SearchField value={filter.search ?? ''} onSearch={searchFor} field={field} />
            </div>
            <div className="lg:hidden">
              <FilterSheet {...fields} />
            </div>
          </div>
          <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 empty:hidden">
            <Chips {...fields} onClear={clear} />
            <AssignAll
              listing={listing}
              colleagues={colleagues}
              onChanged={(item) => changeRows((before) => updateItems(before, [item]))}
              onEnd={reload}
            />
          </div>
          <ContentIdLink search={filter.search} />
          {away && ready !== undefined && <ConnectionLostNotice />}
          <NewItemsNotice count={ready?.newCount ?? 0} button={rows.moreButton} onShow={reload} />
          <InboxList listing={listing} rows={rows} onMore={more} onReload={reload} onClear={clear} />
        </div>
      </div>
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

type StateTabsProps = Readonly<{ filter: DeskFilter; counts: DeskPage['counts'] | undefined }>;

/** Links to all contributions and to each state, with counts. */
function StateTabs({ filter, counts }: StateTabsProps): ReactNode {
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
  const row = useEntryInView();
  return (
    <nav ref={row} aria-label={texts.states} className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
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
              <span className="tabular min-w-[2ch] text-sm text-muted">{formatCount(count, filter)}</span>
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
