import type { ReactNode } from 'react';
import type { WeekActivity } from '#web/backend/statistics.ts';
import { Card } from '#web/ui/card.tsx';
import { kindTotals, most, weeksOf, type KindTotal, type Week } from './activity.ts';
import { FiguresTable } from './figures-table.tsx';
import { formatDay, formatNumber } from '#web/ui/format.ts';
import { KindChart } from './kind-chart.tsx';
import { activityTexts as texts, adminTexts } from './texts.ts';
import { WEEKS_SHOWN, type Loadable } from './use-figures.ts';
import { WeekChart } from './week-chart.tsx';

/** Figures first, then charts that can be read without colour, then the tables behind them. */
export function ActivitySection({ activity }: Readonly<{ activity: Loadable<readonly WeekActivity[]> }>): ReactNode {
  return (
    <section className="mt-12 sm:mt-16">
      <h2 className="text-xl font-semibold">{texts.title}</h2>
      <p className="mt-1 mb-5 max-w-measure text-muted">{texts.lead(WEEKS_SHOWN)}</p>
      {activity.status === 'ready' ? (
        <Content activity={activity.value} />
      ) : (
        <Card>
          <p className="text-muted">{activity.status === 'loading' ? adminTexts.loading : adminTexts.empty}</p>
        </Card>
      )}
    </section>
  );
}

function Content({ activity }: Readonly<{ activity: readonly WeekActivity[] }>): ReactNode {
  const weeks = weeksOf(activity);
  const kinds = kindTotals(activity);
  if (weeks.every(({ total }) => total === 0)) {
    return (
      <Card>
        <p className="text-muted">{texts.quiet}</p>
      </Card>
    );
  }
  return (
    <>
      <KeyFigures weeks={weeks} />
      <div className="mt-3 grid gap-3 sm:mt-4 sm:gap-4 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <Weeks weeks={weeks} />
        <Kinds kinds={kinds} />
      </div>
    </>
  );
}

function KeyFigures({ weeks }: Readonly<{ weeks: readonly Week[] }>): ReactNode {
  const sum = (of: (week: Week) => number): string => formatNumber(weeks.reduce((total, week) => total + of(week), 0));
  const busiest = most(weeks);
  const figures = [
    { name: texts.interviews, value: sum((week) => week.interviews) },
    { name: texts.uploads, value: sum((week) => week.uploads) },
    {
      name: texts.thisWeek,
      value: formatNumber(weeks.at(-1)?.total ?? 0),
      more: texts.weekBefore(formatNumber(weeks.at(-2)?.total ?? 0)),
    },
    {
      name: texts.busiest,
      value: formatNumber(busiest?.total ?? 0),
      more: texts.from(formatDay(busiest?.start ?? '')),
    },
  ];
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:grid-cols-4">
      {figures.map(({ name, value, more }) => (
        <div key={name} className="flex flex-col bg-surface p-4 sm:p-5">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="tabular mt-1 text-2xl font-semibold tracking-tight">{value}</dd>
          {more !== undefined && <dd className="tabular text-sm text-muted">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Weeks({ weeks }: Readonly<{ weeks: readonly Week[] }>): ReactNode {
  return (
    <Card>
      <h3 className="mb-3 font-semibold">{texts.byWeek}</h3>
      <WeekChart weeks={weeks} />
      <FiguresTable
        caption={texts.byWeek}
        head={[texts.week, texts.interviews, texts.uploads, texts.total]}
        rows={weeks.map(({ start, interviews, uploads, total }) => [
          formatDay(start),
          formatNumber(interviews),
          formatNumber(uploads),
          formatNumber(total),
        ])}
      />
    </Card>
  );
}

function Kinds({ kinds }: Readonly<{ kinds: readonly KindTotal[] }>): ReactNode {
  return (
    <Card>
      <h3 className="mb-3 font-semibold">{texts.byKind}</h3>
      <KindChart kinds={kinds} />
      <FiguresTable
        caption={texts.byKind}
        head={[texts.kind, texts.count]}
        rows={kinds.map(({ kind, total }) => [texts.kinds[kind], formatNumber(total)])}
      />
    </Card>
  );
}
