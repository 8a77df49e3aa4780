import { clsx } from 'clsx';
import { Fragment, type ReactNode, useState } from 'react';
import { ButtonLink, IconButton } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Anchor, BackLink } from '#web/ui/link.tsx';
import { Columns3, Keyboard, Rows3, ShieldUser } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { BOARD_PATH, INBOX_PATH, PEOPLE_PATH } from './desk-url.ts';
import { areKeysOff, switchKeys } from './shortcuts.ts';
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
            <IconButton label={texts.keys} icon={Keyboard} onClick={onHelp} />
          </span>
          <Views view={view} search={search} />
          <ButtonLink href={PEOPLE_PATH} icon={ShieldUser} iconClass="size-5 max-sm:hidden">
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
    <nav aria-label={texts.views} className="flex flex-wrap rounded-control border border-line-strong bg-surface p-0.5">
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
          <Icon className="size-4.5" />
          {name}
        </Anchor>
      ))}
    </nav>
  );
}

const { escape, enter, shift, or } = texts.keyNames;

/** Each line lists alternative keys and their meaning. */
const LINES = [
  { keys: [['j']], meaning: texts.keysMeaning.next },
  { keys: [['k']], meaning: texts.keysMeaning.previous },
  { keys: [[enter], ['o']], meaning: texts.keysMeaning.open },
  { keys: [['u'], [escape]], meaning: texts.keysMeaning.back },
  { keys: [['/']], meaning: texts.keysMeaning.search },
  {
    keys: [
      [shift, '←'],
      [shift, '→'],
    ],
    meaning: texts.keysMeaning.move,
  },
  { keys: [['?']], meaning: texts.keysMeaning.help },
] as const;

export function HelpDialog({ open, onClose }: Readonly<{ open: boolean; onClose: () => void }>): ReactNode {
  const [off, setOff] = useState(areKeysOff);
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={texts.keys} description={texts.keysText}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-3">
        {LINES.map(({ keys, meaning }) => (
          <Fragment key={meaning}>
            <dt className="flex flex-wrap items-center gap-1.5 text-sm">
              {keys.map((chord, index) => (
                <Fragment key={chord.join('+')}>
                  {index > 0 && <span className="text-muted">{or}</span>}
                  {chord.map((key) => (
                    <kbd
                      key={key}
                      className={clsx(
                        'min-w-7 rounded-sm border border-line-strong bg-sunken px-1.5 py-0.5 text-center',
                        'font-sans font-medium',
                      )}
                    >
                      {key}
                    </kbd>
                  ))}
                </Fragment>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <label className="mt-6 flex cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={off}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOff(event.target.checked);
          }}
          className="size-5"
        />
        {texts.keysOff}
      </label>
    </Dialog>
  );
}
