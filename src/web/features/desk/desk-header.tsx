import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { ButtonLink, IconButton } from '#web/ui/button.tsx';
import { Anchor, BackLink } from '#web/ui/link.tsx';
import { Columns3, Keyboard, Rows3, ShieldUser } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { BOARD_PATH, INBOX_PATH, PEOPLE_PATH } from './desk-url.ts';
import { deskTexts as texts } from './texts.ts';

type DeskHeaderProps = Readonly<{
  view: 'list' | 'board';
  /** The filter, kept when the view changes. */
  search: string;
  onHelp: () => void;
}>;

/** Title, switch between list and board, and links out of the desk. */
export function DeskHeader({ view, search, onHelp }: DeskHeaderProps): ReactNode {
  return (
    <header className="mb-6">
      <BackLink href="/admin">{texts.toAdmin}</BackLink>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <ScreenTitle tabTitle={view === 'board' ? `${texts.title} (${texts.board})` : texts.title}>
          {texts.title}
        </ScreenTitle>
        <div className="flex flex-wrap items-center gap-2">
          <span className="hidden sm:pointer-fine:block">
            <IconButton label={texts.keys} icon={<Keyboard aria-hidden className="size-5" />} onClick={onHelp} />
          </span>
          <Views view={view} search={search} />
          <ButtonLink href={PEOPLE_PATH} icon={<ShieldUser aria-hidden className="size-5 max-sm:hidden" />}>
            {texts.people}
          </ButtonLink>
        </div>
      </div>
    </header>
  );
}

function Views({ view, search }: Pick<DeskHeaderProps, 'view' | 'search'>): ReactNode {
  const ways = [
    { id: 'list', href: INBOX_PATH, icon: Rows3, name: texts.list },
    { id: 'board', href: BOARD_PATH, icon: Columns3, name: texts.board },
  ] as const;
  return (
    <nav aria-label={texts.views} className="flex rounded-control border border-line-strong bg-surface p-0.5">
      {ways.map(({ id, href, icon: Icon, name }) => (
        <Anchor
          key={id}
          href={`${href}${search}`}
          aria-current={view === id ? 'page' : undefined}
          className={clsx(
            'inline-flex min-h-10 items-center gap-2 rounded-[8px] px-3.5 pointer-coarse:min-h-11 font-medium',
            'transition-colors',
            view === id ? 'bg-accent-wash text-accent-ink' : 'text-muted hover:text-ink',
          )}
        >
          <Icon aria-hidden className="size-4.5" />
          {name}
        </Anchor>
      ))}
    </nav>
  );
}
