import { clsx } from 'clsx';
import { type ReactNode, useEffect } from 'react';
import { useNewContributions } from '#web/backend/new-contributions.ts';
import { ConnectedScreen } from '#web/backend/server-state.tsx';
import { afterScreen } from '#web/ui/after-load.ts';
import { formatNumber } from '#web/ui/format.ts';
import { ArrowRight } from '#web/ui/icons.tsx';
import { Inbox } from '#web/ui/screen-icons.ts';
import { Anchor } from '#web/ui/link.tsx';
import { BoardScreen } from './board/board-screen.tsx';
import { INBOX_PATH } from './desk-url.ts';
import { InboxScreen } from './inbox/inbox-screen.tsx';
import { PeopleScreen } from './people/people-screen.tsx';
import { deskTexts } from './texts.ts';

const texts = deskTexts.admin;

type DeskProps = Readonly<{
  screen: 'desk-inbox' | 'desk-board' | 'desk-people';
  /** What the screen shows: the search part of the address. */
  address: string;
  /** Fetches what shows a contribution, for which these screens do not wait. */
  fetchNext: () => Promise<void>;
}>;

/** The desk's screens except a contribution, which is fetched ahead because it is likely to be opened next. */
export function DeskRoute({ screen, address, fetchNext }: DeskProps): ReactNode {
  useEffect(() => void afterScreen().then(fetchNext), [fetchNext]);
  return (
    <ConnectedScreen>
      {screen === 'desk-inbox' && <InboxScreen address={address} />}
      {screen === 'desk-board' && <BoardScreen address={address} />}
      {screen === 'desk-people' && <PeopleScreen />}
    </ConnectedScreen>
  );
}

/** Links from /admin to the desk and counts its new contributions. */
export function DeskEntry(): ReactNode {
  const newCount = useNewContributions();
  return (
    <Anchor
      href={INBOX_PATH}
      className={clsx(
        'group mb-10 flex items-center gap-4 rounded-card border border-line bg-surface p-4 transition-colors',
        'hover:border-accent sm:p-5',
      )}
    >
      <span
        className={clsx(
          'flex size-11 shrink-0 items-center justify-center rounded-control bg-accent-wash text-accent-ink',
          'transition-colors group-hover:bg-accent group-hover:text-on-accent',
        )}
      >
        <Inbox className="size-5.5" />
      </span>
      <span className="flex min-w-0 flex-1 flex-col gap-x-6 gap-y-1.5 sm:flex-row sm:items-center sm:justify-between">
        <span>
          <span className="block text-lg leading-snug font-semibold tracking-tight">{texts.title}</span>
          <span className="block text-muted">{texts.text}</span>
        </span>
        <span className="tabular min-h-lh shrink-0 font-medium">
          {newCount !== undefined &&
            (newCount === 0 ? texts.nothing : texts.newItems(formatNumber(newCount), newCount === 1))}
        </span>
      </span>
      <ArrowRight
        className={clsx(
          'size-5 shrink-0 text-muted transition-[transform,color] group-hover:translate-x-1',
          'group-hover:text-accent-ink',
        )}
      />
    </Anchor>
  );
}
