import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { DeskContribution, DeskItem } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Facts } from '#web/ui/card.tsx';
import { formatDate, formatMoment, getDeletionDate } from '#web/ui/format.ts';
import { Anchor, BackLink } from '#web/ui/link.tsx';
import { ChevronLeft, ChevronRight, Printer } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { KindIcon, PostsBadge, UnfinishedBadge } from '../badges.tsx';
import { contributionHref, type ContributionViewName, INBOX_PATH, parseFilter } from '../desk-url.ts';
import { postTexts } from '../posts/texts.ts';
import { usePosts } from '../posts/use-posts.ts';
import { deskTexts } from '../texts.ts';
import { contributionTexts as texts } from './texts.ts';

type NavigationProps = Readonly<{ search: string; previous: DeskItem | undefined; next: DeskItem | undefined }>;

/** Links to the list and to the neighbours in it. */
export function ContributionNavigation({ search, previous, next }: NavigationProps): ReactNode {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-2 gap-y-3 print:hidden sm:gap-x-3">
      <span className="mr-auto">
        <BackLink href={`${INBOX_PATH}${search}`}>{deskTexts.toInbox}</BackLink>
      </span>
      <Button variant="quiet" icon={Printer} title={texts.print} onClick={() => window.print()}>
        <span className="max-sm:sr-only">{texts.print}</span>
      </Button>
      {(previous !== undefined || next !== undefined) && (
        <nav aria-label={texts.neighbours} className="flex gap-2">
          <Way to={previous} label={texts.previous} search={search}>
            <ChevronLeft className="size-5" />
          </Way>
          <Way to={next} label={texts.next} search={search}>
            <ChevronRight className="size-5" />
          </Way>
        </nav>
      )}
    </div>
  );
}

function Way({
  to,
  label,
  search,
  children,
}: Readonly<{ to: DeskItem | undefined; label: string; search: string; children: ReactNode }>): ReactNode {
  if (to === undefined) {
    return (
      <span aria-hidden className={`${buttonClass('secondary', { off: true })} px-3!`}>
        {children}
      </span>
    );
  }
  const name = `${label}: ${deskTexts.formatName(to.contributor)}`;
  return (
    <Anchor
      href={contributionHref(to.id, parseFilter(search))}
      aria-label={name}
      title={name}
      className={`${buttonClass('secondary')} px-3!`}
    >
      {children}
    </Anchor>
  );
}

export function ContributionHeader({ contribution }: Readonly<{ contribution: DeskContribution }>): ReactNode {
  const { id, kind, area, topic, createdAt, completedAt, finished, contributor } = contribution;
  const { retentionDays } = useBackend().config;
  return (
    <header className="mb-6 sm:mb-8">
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="inline-flex items-center gap-2 text-sm font-medium text-muted">
          <KindIcon kind={kind} className="size-4.5" />
          {deskTexts.kinds[kind]} · {texts.number(id)}
        </span>
        {!finished && <UnfinishedBadge />}
        <PostsBadge item={contribution} />
      </p>
      <ScreenTitle className="text-2xl [overflow-wrap:anywhere] sm:text-3xl">
        {deskTexts.formatName(contributor)}
      </ScreenTitle>
      <dl className="tabular mt-4 flex flex-wrap gap-x-8 gap-y-2">
        <Facts
          facts={[
            [texts.area, deskTexts.formatArea(area)],
            [texts.topic, topic && deskTexts.formatTopic(topic)],
            [texts.received, formatMoment(createdAt)],
            // Before the contact details it is when the words were saved (decision 0010).
            [texts.completed, finished ? completedAt && formatMoment(completedAt) : null],
            [
              texts.erasedOn,
              retentionDays === undefined ? null : formatDate(getDeletionDate(createdAt, completedAt, retentionDays)),
            ],
          ]}
        />
      </dl>
    </header>
  );
}

type ViewTabsProps = Readonly<{ id: number; view: ContributionViewName; search: string }>;

/** Leads to the material and to the posts; the address says which of them is shown. */
export function ViewTabs({ id, view, search }: ViewTabsProps): ReactNode {
  const { data } = usePosts(id);
  const names = { material: postTexts.material, posts: postTexts.posts(data?.posts.length ?? 0) };
  return (
    <nav aria-label={postTexts.view} className="mb-6 flex gap-6 border-b border-line">
      {(['material', 'posts'] as const).map((name) => (
        <Anchor
          key={name}
          href={contributionHref(id, parseFilter(search), name)}
          aria-current={name === view ? 'page' : undefined}
          className={clsx(
            'touch -mb-px inline-flex items-center justify-center border-b-2 font-medium transition-colors',
            name === view ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink',
          )}
        >
          {names[name]}
        </Anchor>
      ))}
    </nav>
  );
}
