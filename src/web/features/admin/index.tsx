import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { TOP_USERS } from '#contract/limits.ts';
import { useUser } from '#web/backend/session.ts';
import { countActivity, type RoleStatistics, topUsers, type UserActivity } from '#web/backend/statistics.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { formatClock, formatDate, formatNumber } from '#web/ui/format.ts';
import { ArrowRight, RotateCw } from '#web/ui/icons.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { StepMessage } from '#web/ui/notice.tsx';
import { SlidersHorizontal, Users } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ActivitySection } from './activity-section.tsx';
import { type Figures, useFigures } from './figures.ts';
import { adminTexts as texts } from './texts.ts';

export { AccountsScreen } from './accounts-screen.tsx';

/** §2.12: areas and their roles, in the order of the cards. */
const CARDS = [
  { role: 'firma_a', href: '/firma-a' },
  { role: 'firma_b', href: '/firma-b' },
  { role: 'testnormec', href: '/testnormec' },
  { role: 'admin', href: '/content-selection' },
] as const;

type AdminScreenProps = Readonly<{
  association: string;
  /** The link to the desk. */
  desk: ReactNode;
}>;

export function AdminScreen({ association, desk }: AdminScreenProps): ReactNode {
  const user = useUser();
  const figures = useFigures();
  const { statistics, activity } = figures;
  const names = texts.names(association);
  const loading = statistics.status === 'loading';
  const of = (role: string): RoleStatistics | undefined =>
    statistics.status === 'ready' ? statistics.value.find((entry) => entry.role === role) : undefined;
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <div className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-5 sm:mb-10">
        <div className="min-w-0">
          <ScreenTitle>{texts.title}</ScreenTitle>
          <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead(user?.username ?? '')}</p>
        </div>
        <div className="flex flex-wrap gap-3">
          <ButtonLink href="/admin/einrichtung" icon={SlidersHorizontal}>
            {texts.setup}
          </ButtonLink>
          <ButtonLink href="/admin/benutzer" icon={Users}>
            {texts.accounts}
          </ButtonLink>
        </div>
      </div>
      {desk}
      <AreasHead figures={figures} />
      <div className="mb-4 empty:hidden">
        {figures.problem !== undefined && (
          <StepMessage message={{ id: 0, title: texts.failed, description: figures.problem, variant: 'destructive' }} />
        )}
      </div>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-4">
        {CARDS.map(({ role, href }) => (
          <li key={role}>
            <AdminCard
              href={href}
              name={names[role] ?? role}
              note={role === 'admin' ? texts.associationArea : undefined}
              figures={of(role)}
              loading={loading}
            />
          </li>
        ))}
      </ul>
      <h2 className="mt-12 mb-5 text-xl font-semibold sm:mt-16">{texts.details}</h2>
      <div className="grid grid-cols-1 gap-3 sm:gap-4 lg:grid-cols-2">
        {CARDS.map(({ role }) => (
          <RoleDetails key={role} name={names[role] ?? role} figures={of(role)} loading={loading} />
        ))}
      </div>
      <ActivitySection activity={activity} />
      <Notes />
    </div>
  );
}

/** Shows the age of the figures, which has a line of its own on a phone, and reloads them. */
function AreasHead({ figures }: Readonly<{ figures: Figures }>): ReactNode {
  const { loadedAt, busy, refresh } = figures;
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-1 sm:-mr-5">
      <h2 className="text-xl font-semibold sm:mr-auto">{texts.areas}</h2>
      <output className="tabular order-last min-h-lh w-full text-sm text-muted sm:order-none sm:w-auto">
        {loadedAt !== undefined && (
          <time dateTime={loadedAt.toISOString()}>{texts.loadedAt(formatClock(loadedAt))}</time>
        )}
      </output>
      <Button variant="quiet" icon={RotateCw} busy={busy} busyLabel={texts.refreshing} onClick={refresh}>
        {texts.refresh}
      </Button>
    </div>
  );
}

function Notes(): ReactNode {
  return (
    <section className="mt-12 border-t border-line pt-6 sm:mt-16">
      <h2 className="text-lg font-semibold">{texts.notesTitle}</h2>
      <ul className="mt-3 flex max-w-measure list-disc flex-col gap-2 pl-5 text-muted">
        {texts.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

type AdminCardProps = Readonly<{
  href: string;
  name: string;
  note: string | undefined;
  figures: RoleStatistics | undefined;
  loading: boolean;
}>;

/** Links an area and shows its three figures. */
function AdminCard({ href, name, note, figures, loading }: AdminCardProps): ReactNode {
  return (
    <Anchor
      href={href}
      className={clsx(
        'group flex h-full min-h-56 flex-col rounded-card border border-line bg-surface p-5 transition-colors',
        'hover:border-accent sm:p-6',
      )}
    >
      <span className="flex items-start justify-between gap-3">
        <span className="min-w-0">
          <span className="block text-lg font-semibold tracking-tight">{name}</span>
          {note !== undefined && <span className="block text-sm text-muted">{note}</span>}
        </span>
        <ArrowRight
          className={clsx(
            'mt-0.5 size-5 shrink-0 text-muted transition-[transform,color] group-hover:translate-x-1',
            'group-hover:text-accent-ink',
          )}
        />
      </span>
      <span className="mt-auto grid pt-6 *:[grid-area:1/1]">
        {figures === undefined && <span className="text-muted">{loading ? texts.loading : texts.empty}</span>}
        <RoleFigures figures={figures} />
      </span>
    </Anchor>
  );
}

/** Keeps its place free where there are no figures. */
function RoleFigures({ figures }: Readonly<{ figures: RoleStatistics | undefined }>): ReactNode {
  return (
    <span className={clsx(figures === undefined && 'invisible')}>
      <span className="block">
        <span className="tabular block text-3xl font-semibold tracking-tight">
          {formatNumber(figures?.total_interviews ?? 0)}
        </span>{' '}
        <span className="text-muted">{texts.contributions}</span>
      </span>
      <span className="mt-4 flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3 text-sm">
        <Small value={figures?.total_media_uploads ?? 0} name={texts.uploads} />
        <Small value={figures?.active_users ?? 0} name={texts.users} />
      </span>
    </span>
  );
}

function Small({ value, name }: Readonly<{ value: number; name: string }>): ReactNode {
  return (
    <span>
      <span className="tabular text-base font-semibold">{formatNumber(value)}</span>{' '}
      <span className="block text-muted">{name}</span>
    </span>
  );
}

type RoleDetailsProps = Readonly<{ name: string; figures: RoleStatistics | undefined; loading: boolean }>;

/** §2.12: the top three users of a role, with bars relative to the first. */
function RoleDetails({ name, figures, loading }: RoleDetailsProps): ReactNode {
  const top = topUsers(figures?.users ?? [], TOP_USERS);
  const [busiest] = top;
  return (
    <section className="rounded-card border border-line bg-surface p-5 sm:p-6">
      <h3 className="font-semibold">{name}</h3>
      {figures === undefined && <p className="mt-3 text-muted">{loading ? texts.loading : texts.empty}</p>}
      {figures !== undefined && top.length === 0 && <p className="mt-3 text-muted">{texts.nobody}</p>}
      {busiest !== undefined && (
        <>
          <p className="mt-0.5 text-sm text-muted">{texts.top}</p>
          <ol className="mt-4 flex flex-col gap-4">
            {top.map((user) => (
              <TopUser key={user.user_id} user={user} share={countActivity(user) / countActivity(busiest)} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function TopUser({ user, share }: Readonly<{ user: UserActivity; share: number }>): ReactNode {
  return (
    <li>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 font-medium wrap-anywhere">
          <Breakable text={user.user_email} />
        </span>
        <span className="tabular text-sm text-muted">
          {texts.activity(user.interviews_count, user.media_uploads_count)}
        </span>
      </div>
      <div aria-hidden className="mt-1.5 h-1 rounded-full bg-line">
        <div className="h-full rounded-full bg-accent" style={{ width: `${Math.round(share * 100)}%` }} />
      </div>
      {user.last_activity !== null && (
        <p className="tabular mt-1 text-sm text-muted">{texts.last(formatDate(user.last_activity))}</p>
      )}
    </li>
  );
}
