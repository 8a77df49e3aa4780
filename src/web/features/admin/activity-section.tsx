import { type ReactNode, useId, useState } from 'react';
import { KIND_LABELS } from '#contract/labels.ts';
import type { WeekActivity } from '#web/backend/statistics.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { formatDay, formatNumber } from '#web/ui/format.ts';
import { Table2 } from '#web/ui/screen-icons.ts';
import { KindChart, WeekChart } from './charts.tsx';
import {
  countKinds,
  countWeeks,
  findBusiest,
  type KindTotal,
  type Loadable,
  type Week,
  WEEKS_SHOWN,
} from './figures.ts';
import { activityTexts as texts, adminTexts } from './texts.ts';

/** Shows figures, charts that are readable without colour, and the tables behind them. */
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
  const weeks = countWeeks(activity);
  const kinds = countKinds(activity);
  if (weeks.every(({ total }) => total === 0)) {
    return <EmptyState drawing="figures" title={texts.quiet} />;
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
  const busiest = findBusiest(weeks);
  const figures = [
    { name: texts.contributions, value: sum((week) => week.contributions) },
    { name: texts.files, value: sum((week) => week.files) },
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
        head={[texts.week, texts.contributions, texts.files, texts.total]}
        rows={weeks.map(({ start, contributions, files, total }) => [
          formatDay(start),
          formatNumber(contributions),
          formatNumber(files),
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
        rows={kinds.map(({ kind, total }) => [KIND_LABELS[kind], formatNumber(total)])}
      />
    </Card>
  );
}

type FiguresTableProps = Readonly<{
  caption: string;
  head: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly string[])[];
}>;

/** Shows the figures behind a chart on demand; screen readers always get them. */
function FiguresTable({ caption, head, rows }: FiguresTableProps): ReactNode {
  const [shown, setShown] = useState(false);
  const id = useId();
  return (
    <div className="mt-4">
      <div className="-ml-5">
        <Button variant="quiet" icon={Table2} aria-expanded={shown} aria-controls={id} onClick={() => setShown(!shown)}>
          {shown ? texts.hideTable : texts.showTable}
        </Button>
      </div>
      <div id={id} className={shown ? 'mt-2' : 'sr-only'}>
        <table className="tabular w-full border-collapse text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line-strong">
              {head.map((title, column) => (
                <th key={title} scope="col" className={cell(column)}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...cells]) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className={`${cell(0)} font-normal`}>
                  {name}
                </th>
                {cells.map((text, column) => (
                  <td key={head[column + 1]} className={cell(column + 1)}>
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function cell(column: number): string {
  return column === 0 ? 'py-2 pr-3 text-left font-medium' : 'py-2 pl-3 text-right';
}
