import { clsx } from 'clsx';
import type { ReactNode, RefCallback } from 'react';
import type { DeskItem } from '#contract/desk.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { formatMoment, formatWhen } from '#web/ui/format.ts';
import { Anchor } from '#web/ui/link.tsx';
import { UserRound } from '#web/ui/screen-icons.ts';
import { KindIcon, PostsBadge, StateBadge, UnfinishedBadge } from '../badges.tsx';
import { deskTexts, inboxTexts as texts } from '../texts.ts';

type InboxRowProps = Readonly<{
  item: DeskItem;
  href: string;
  /** Ref of the row's link. */
  link: RefCallback<HTMLAnchorElement>;
  onFocus: () => void;
}>;

/** The whole row is a link. New rows are bold, unfinished ones carry a badge. */
export function InboxRow({ item, href, link, onFocus }: InboxRowProps): ReactNode {
  const isNew = item.state === 'new';
  return (
    <li
      className={clsx(
        'relative grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 px-4 py-4 transition-colors hover:bg-sunken',
        'has-focus-visible:bg-accent-wash has-focus-visible:outline-2 has-focus-visible:-outline-offset-2',
        'has-focus-visible:outline-focus',
        'first:rounded-t-card last:rounded-b-card sm:px-5 md:grid-cols-[auto_minmax(0,1fr)_auto]',
      )}
    >
      <Tile item={item} />
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Anchor
            ref={link}
            href={href}
            onFocus={onFocus}
            className={clsx(
              'outline-none [overflow-wrap:anywhere] after:absolute after:inset-0',
              isNew ? 'font-semibold' : 'font-medium',
            )}
          >
            <Breakable text={deskTexts.formatName(item.contributor)} />
          </Anchor>
          {!item.finished && <UnfinishedBadge />}
        </div>
        <Facts item={item} />
        <p className={clsx('mt-1 line-clamp-2 [overflow-wrap:anywhere]', item.excerpt === '' && 'text-muted')}>
          {item.excerpt === '' ? texts.noText : <ExcerptText excerpt={item.excerpt} />}
        </p>
      </div>
      <Standing item={item} />
    </li>
  );
}

function Tile({ item }: Readonly<{ item: DeskItem }>): ReactNode {
  return (
    <span
      className={clsx(
        'flex size-10 items-center justify-center rounded-control',
        item.finished ? 'bg-sunken text-muted' : 'border border-dashed border-line-strong text-muted',
        item.finished && item.state === 'new' && 'bg-accent-wash text-accent-ink',
      )}
    >
      <KindIcon kind={item.kind} />
    </span>
  );
}

function Facts({ item }: Readonly<{ item: DeskItem }>): ReactNode {
  const facts = [
    { name: texts.kind, value: deskTexts.kinds[item.kind] },
    ...(item.topic === null ? [] : [{ name: texts.topic, value: deskTexts.formatTopic(item.topic) }]),
    { name: texts.area, value: deskTexts.formatArea(item.area) },
    ...(item.files === 0 ? [] : [{ name: texts.files, value: deskTexts.files(item.files) }]),
    ...(item.posts === null ? [] : [{ name: texts.posts, value: deskTexts.posts(item.posts) }]),
  ];
  return (
    <p className="tabular mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">
      {facts.map(({ name, value }, index) => (
        <span key={name}>
          <span className="sr-only">{name}: </span>
          {value}
          {index < facts.length - 1 && ' · '}
        </span>
      ))}
    </p>
  );
}

function Standing({ item }: Readonly<{ item: DeskItem }>): ReactNode {
  return (
    <div className="col-start-2 flex flex-wrap items-center gap-x-3 gap-y-1 md:col-start-auto md:flex-col md:items-end">
      <StateBadge state={item.state} />
      <PostsBadge item={item} />
      <span className="tabular text-sm text-muted" title={`${texts.received}: ${formatMoment(item.createdAt)}`}>
        <span className="sr-only">{texts.received}: </span>
        <time dateTime={item.createdAt}>{formatWhen(item.createdAt)}</time>
      </span>
      {item.assigneeEmail !== null && (
        <span className="inline-flex max-w-44 items-center gap-1.5 text-sm text-muted" title={item.assigneeEmail}>
          <UserRound className="size-3.5 shrink-0" />
          <span className="sr-only">{texts.assigned}: </span>
          <span className="truncate">{item.assigneeEmail.split('@')[0]}</span>
        </span>
      )}
    </div>
  );
}

/** A piece of an excerpt; `found` marks a search hit. */
type ExcerptPiece = Readonly<{ text: string; found: boolean }>;

const BEGIN = '\u0001';
const END = '\u0002';

/** Splits at the database's marks (U+0001, U+0002) into plain text; nothing becomes HTML. */
export function splitExcerpt(excerpt: string): readonly ExcerptPiece[] {
  const pieces: ExcerptPiece[] = [];
  const add = (text: string, found: boolean): void => {
    const clean = text.replaceAll(BEGIN, '').replaceAll(END, '');
    if (clean !== '') pieces.push({ text: clean, found });
  };
  let rest = excerpt;
  for (let begin = rest.indexOf(BEGIN); begin !== -1; begin = rest.indexOf(BEGIN)) {
    const end = rest.indexOf(END, begin);
    if (end === -1) break;
    add(rest.slice(0, begin), false);
    add(rest.slice(begin + 1, end), true);
    rest = rest.slice(end + 1);
  }
  add(rest, false);
  return pieces;
}

/** Shows an excerpt with its search hits marked. */
function ExcerptText({ excerpt }: Readonly<{ excerpt: string }>): ReactNode {
  return splitExcerpt(excerpt).map(({ text, found }, index) =>
    found ? (
      <mark key={index} className="rounded-[3px] bg-accent-wash px-0.5 font-medium text-accent-ink">
        {text}
      </mark>
    ) : (
      <span key={index}>{text}</span>
    ),
  );
}
