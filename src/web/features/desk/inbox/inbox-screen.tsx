import { clsx } from 'clsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useUser } from '#web/backend/session.ts';
import { DeskHeader } from '../desk-header.tsx';
import { INBOX_PATH } from '../desk-url.ts';
import { Chips } from '../filters/chips.tsx';
import { FilterFields, FilterSheet } from '../filters/filter-fields.tsx';
import { SearchField } from '../filters/search-field.tsx';
import { StateTabs } from '../filters/state-tabs.tsx';
import { filterTexts } from '../filters/texts.ts';
import { useFilter } from '../filters/use-filter.ts';
import { HelpDialog } from '../help-dialog.tsx';
import { applyUpdate } from '../listing.ts';
import { ConnectionLostNotice, NewItemsNotice } from '../notices.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { useColleagues } from '../use-desk.ts';
import { useListUpdates } from '../use-list-updates.ts';
import { INBOX_PAGE, useListing } from '../use-listing.ts';
import { InboxList } from './inbox-list.tsx';
import { useRowFocus } from './use-row-focus.ts';

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
  const shown = ready?.items.map(({ id }) => id) ?? [];
  const rows = useRowFocus(shown);
  const away = useListUpdates(search, shown, (update) => changeRows((before) => applyUpdate(before, update)));
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
            'sticky top-[calc(var(--header-height)+1rem)] -m-1 hidden',
            'max-h-[calc(100dvh-var(--header-height)-2rem)] self-start overflow-y-auto p-1 pb-10',
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
          <div className="mb-3 empty:hidden">
            <Chips {...fields} onClear={clear} />
          </div>
          {away && ready !== undefined && <ConnectionLostNotice />}
          <NewItemsNotice count={ready?.newCount ?? 0} onShow={reload} />
          <InboxList
            listing={listing}
            rows={rows}
            onMore={more}
            onReload={reload}
            onClear={clear}
            onOpen={(opened) => changeRows((before) => ({ ...before, opened }))}
          />
        </div>
      </div>
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
