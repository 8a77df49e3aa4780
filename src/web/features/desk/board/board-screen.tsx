import { type ReactNode, useRef, useState } from 'react';
import type { DeskState } from '#contract/desk.ts';
import { useUser } from '#web/backend/session.ts';
import { formatNumber } from '#web/ui/format.ts';
import { useMedia } from '#web/ui/use-media.ts';
import { DeskHeader, HelpDialog } from '../desk-header.tsx';
import { BOARD_PATH, contributionHref, parseColumn } from '../desk-url.ts';
import { Chips, ContentIdLink, SearchField } from '../filters/filter-bar.tsx';
import { FilterSheet } from '../filters/filter-fields.tsx';
import { useFilter } from '../filters/use-filter.ts';
import { formatCount, getItems } from '../listing.ts';
import { ConnectionLostNotice, NewItemsNotice } from '../notices.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { ChangeErrorNotice, StateDialogs } from '../state-change/state-dialogs.tsx';
import { deskTexts } from '../texts.ts';
import { useColleagues } from '../use-desk.tsx';
import { findCardBeside } from '../use-item-links.ts';
import { BoardCard } from './board-card.tsx';
import { BoardColumn, ColumnTabs } from './board-column.tsx';
import { getColumns } from './board.ts';
import { useBoard, useBoardMoves, useCardFocus } from './use-board.ts';

/** /admin/eingang/tafel shows the contributions in one column a state. */
export function BoardScreen({ address }: Readonly<{ address: string }>): ReactNode {
  const ownId = useUser()?.id ?? '';
  const { filter, search, change, searchFor, clear } = useFilter(BOARD_PATH, address);
  const { columns: board, change: changeBoard, newCount, away, reload } = useBoard(search);
  const [help, setHelp] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const colleagues = useColleagues();
  const columns = getColumns(search);
  const wide = useMedia('(min-width: 64rem)');
  const front = columns.find((state) => state === parseColumn(address)) ?? columns[0] ?? 'new';
  const shown = wide ? columns : [front];
  const grid = shown.map((state) => getItems(board[state].listing).map(({ id }) => id));
  const cards = useCardFocus(grid);
  const { changes, announcement, move, onKey } = useBoardMoves({ grid, cards, change: changeBoard });
  const step = (arrow: 'ArrowUp' | 'ArrowDown'): void => {
    const from = cards.focused();
    cards.focus(from === undefined ? grid.flat()[0] : findCardBeside(grid, from, arrow));
  };
  useShortcuts({
    next: () => step('ArrowDown'),
    previous: () => step('ArrowUp'),
    search: () => field.current?.focus(),
    help: () => setHelp(true),
  });
  const getCount = (state: DeskState): string | undefined => {
    const { listing } = board[state];
    return listing.status === 'ready' ? formatCount(listing.counts[state], filter) : undefined;
  };
  const fields = { filter, colleagues, ownId, onChange: change };
  return (
    <div className="mx-auto w-full max-w-[120rem] px-4 py-6 sm:px-6 sm:py-10 2xl:px-10">
      <DeskHeader view="board" search={search} onHelp={() => setHelp(true)} />
      <div className="mb-3 flex items-center gap-2">
        <div className="min-w-0 flex-1 sm:max-w-md">
          <SearchField value={filter.search ?? ''} onSearch={searchFor} field={field} />
        </div>
        <FilterSheet {...fields} />
      </div>
      <div className="mb-3 empty:hidden">
        <Chips {...fields} states={filter.states} onClear={clear} />
      </div>
      <ContentIdLink search={filter.search} />
      {away && <ConnectionLostNotice />}
      <NewItemsNotice count={newCount} button={cards.moreButton} onShow={reload} />
      <div className="mb-3 empty:hidden">
        {changes.error !== undefined && changes.dialog.kind === 'none' && (
          <ChangeErrorNotice error={changes.error} draft="none" />
        )}
      </div>
      {!wide && <ColumnTabs filter={filter} columns={columns} front={front} getCount={getCount} />}
      <div
        className="grid items-start gap-3"
        style={{ gridTemplateColumns: `repeat(${shown.length}, minmax(0, 1fr))` }}
      >
        {shown.map((state) => (
          <BoardColumn
            key={state}
            state={state}
            column={board[state].listing}
            count={getCount(state)}
            onDrop={(id) => {
              const item = columns.flatMap((one) => getItems(board[one].listing)).find((one) => one.id === id);
              if (item !== undefined) move(item, state);
            }}
            moreButton={cards.moreButton}
            onMore={board[state].more}
            onReload={reload}
          >
            {getItems(board[state].listing).map((item) => (
              <BoardCard
                key={item.id}
                item={item}
                href={contributionHref(item.id, filter)}
                link={cards.getLinkRef(item.id)}
                onMove={(to) => move(item, to)}
                onKey={(event) => onKey(event, item)}
              />
            ))}
          </BoardColumn>
        ))}
      </div>
      <output className="sr-only">{announcement}</output>
      <output className="sr-only">{deskTexts.shown(formatNumber(grid.flat().length))}</output>
      <StateDialogs changes={changes} />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
