import { clsx } from 'clsx';
import { type KeyboardEvent, type ReactNode, type RefCallback, useState } from 'react';
import { DESK_STATES, type DeskItem, type DeskState } from '#contract/desk.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { IconButton } from '#web/ui/button.tsx';
import { formatWhen } from '#web/ui/format.ts';
import { Anchor } from '#web/ui/link.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { EllipsisVertical, FileText, Paperclip, UserRound } from '#web/ui/screen-icons.ts';
import { getStateIcon, KindIcon, PostsBadge, UnfinishedBadge } from '../badges.tsx';
import { deskTexts } from '../texts.ts';
import { boardTexts as texts } from './texts.ts';

export type BoardCardProps = Readonly<{
  item: DeskItem;
  href: string;
  link: RefCallback<HTMLAnchorElement>;
  onMove: (state: DeskState) => void;
  /** Handles arrow keys on the card. */
  onKey: (event: KeyboardEvent) => void;
}>;

/** Drag data type; its value is a contribution's id. */
export const CARD_TYPE = 'application/x-contribution';

export function BoardCard({ item, href, link, onMove, onKey }: BoardCardProps): ReactNode {
  const [dragged, setDragged] = useState(false);
  const name = deskTexts.formatName(item.contributor);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- menu and keys do the same
    <li
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(CARD_TYPE, String(item.id));
        event.dataTransfer.effectAllowed = 'move';
        setDragged(true);
      }}
      onDragEnd={() => setDragged(false)}
      className={clsx(
        'relative rounded-control border border-line bg-surface py-2.5 pl-3 xl:pr-1 xl:pl-3.5',
        'transition-[border-color,opacity] hover:border-ink',
        'has-[a:focus-visible]:border-accent has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-focus',
        !item.finished && 'border-dashed border-line-strong',
        dragged && 'opacity-50',
      )}
    >
      <div className="flex items-start xl:gap-1">
        <Anchor
          ref={link}
          href={href}
          draggable={false}
          onKeyDown={onKey}
          className={clsx(
            'min-w-0 flex-1 pt-2 pb-1.5 leading-snug font-medium outline-none [overflow-wrap:anywhere]',
            'after:absolute after:inset-0',
          )}
        >
          <Breakable text={name} />
        </Anchor>
        <span className="relative z-10">
          <Menu label={texts.moveTo} trigger={<IconButton label={texts.move(name)} icon={EllipsisVertical} />}>
            {DESK_STATES.map((state) => (
              <MenuChoice
                key={state}
                icon={getStateIcon(state)}
                current={state === item.state}
                onChoose={() => onMove(state)}
              >
                {deskTexts.states[state]}
              </MenuChoice>
            ))}
          </Menu>
        </span>
      </div>
      <CardFacts item={item} />
    </li>
  );
}

function CardFacts({ item }: Readonly<{ item: DeskItem }>): ReactNode {
  return (
    <div className="flex flex-col gap-1.5 pr-2.5 pb-1 text-sm text-muted">
      <p className="flex items-center gap-1.5">
        <KindIcon kind={item.kind} className="size-4 shrink-0" />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          {deskTexts.kinds[item.kind]} · {deskTexts.formatArea(item.area)}
        </span>
      </p>
      {item.topic !== null && <p className="[overflow-wrap:anywhere]">{deskTexts.formatTopic(item.topic)}</p>}
      <p className="flex flex-wrap gap-1.5 *:whitespace-normal empty:hidden">
        {!item.finished && <UnfinishedBadge />}
        <PostsBadge item={item} />
      </p>
      <p className="tabular flex flex-wrap items-center gap-x-3 gap-y-1">
        <time dateTime={item.createdAt}>{formatWhen(item.createdAt)}</time>
        {item.files > 0 && (
          <span className="inline-flex items-center gap-1">
            <Paperclip className="size-3.5" />
            {deskTexts.files(item.files)}
          </span>
        )}
        {item.posts !== null && (
          <span className="inline-flex items-center gap-1">
            <FileText className="size-3.5" />
            {deskTexts.posts(item.posts)}
          </span>
        )}
        {item.assigneeEmail !== null && (
          <span className="inline-flex min-w-0 items-center gap-1" title={deskTexts.assignedTo(item.assigneeEmail)}>
            <UserRound className="size-3.5 shrink-0" />
            <span className="truncate">{item.assigneeEmail.split('@')[0]}</span>
          </span>
        )}
      </p>
    </div>
  );
}
