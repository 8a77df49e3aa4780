import type { ReactNode } from 'react';
import { TOP_USERS } from '#contract/limits.ts';
import { countActivity, topUsers, type RoleStatistics, type UserActivity } from '#web/backend/statistics.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { formatDate } from '#web/ui/format.ts';
import { adminTexts as texts } from './texts.ts';

type RoleDetailsProps = Readonly<{ name: string; figures: RoleStatistics | undefined; loading: boolean }>;

/** §2.12: the top three users of a role, with bars relative to the first. */
export function RoleDetails({ name, figures, loading }: RoleDetailsProps): ReactNode {
  const top = topUsers(figures?.users ?? [], TOP_USERS);
  const findBusiest = countActivity(top[0] ?? NOBODY);
  return (
    <section className="rounded-card border border-line bg-surface p-5 sm:p-6">
      <h3 className="font-semibold">{name}</h3>
      {figures === undefined && <p className="mt-3 text-muted">{loading ? texts.loading : texts.empty}</p>}
      {figures !== undefined && top.length === 0 && <p className="mt-3 text-muted">{texts.nobody}</p>}
      {top.length > 0 && (
        <>
          <p className="mt-0.5 text-sm text-muted">{texts.top}</p>
          <ol className="mt-4 flex flex-col gap-4">
            {top.map((user) => (
              <TopUser key={user.user_id} user={user} share={countActivity(user) / findBusiest} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

const NOBODY: UserActivity = {
  user_id: '',
  user_email: '',
  interviews_count: 0,
  media_uploads_count: 0,
  last_activity: null,
};

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
