import { clsx } from 'clsx';
import { type ReactNode, useId } from 'react';
import { KIND_LABELS } from '#contract/labels.ts';
import { formatDay, formatNumber } from '#web/ui/format.ts';
import { chooseAxisEnd, findBusiest, type KindTotal, type Week } from './figures.ts';
import { activityTexts as texts } from './texts.ts';

const HEIGHT = 240;
const TOP = 26;
const BASE = 206;
/** Share of a week's width. */
const BAR_SHARE = 0.62;
const LABEL_FITS_PHONE = 1_000;

/** Stacks files on contributions. Positions are percentages, so that text keeps its size. */
export function WeekChart({ weeks }: Readonly<{ weeks: readonly Week[] }>): ReactNode {
  const hatching = useId();
  const busiest = findBusiest(weeks);
  const end = chooseAxisEnd(busiest?.total ?? 0);
  const getHeight = (count: number): number => (count / end) * (BASE - TOP);
  return (
    <>
      <Legend hatching={hatching} />
      <svg
        role="img"
        aria-label={texts.weekChart(formatNumber(busiest?.total ?? 0), formatDay(busiest?.start ?? ''))}
        width="100%"
        height={HEIGHT}
        fontSize="12"
        className="mt-3 block overflow-visible"
      >
        <Hatching id={hatching} />
        {[end, end / 2, 0].map((value) => (
          <Gridline key={value} value={value} y={BASE - getHeight(value)} />
        ))}
        {weeks.map((week, index) => (
          <Column
            key={week.start}
            week={week}
            hatching={hatching}
            left={(index + (1 - BAR_SHARE) / 2) / weeks.length}
            width={BAR_SHARE / weeks.length}
            heights={[getHeight(week.contributions), getHeight(week.files)]}
            labelOnPhone={(busiest?.total ?? 0) < LABEL_FITS_PHONE}
            dateOnPhone={(weeks.length - 1 - index) % 3 === 0}
          />
        ))}
      </svg>
    </>
  );
}

function Gridline({ value, y }: Readonly<{ value: number; y: number }>): ReactNode {
  return (
    <g>
      <line x1="0" x2="100%" y1={y} y2={y} className={value === 0 ? 'stroke-line-strong' : 'stroke-line'} />
      {value > 0 && (
        <text x="0" y={y - 5} className="tabular fill-muted">
          {formatNumber(value)}
        </text>
      )}
    </g>
  );
}

type ColumnProps = Readonly<{
  week: Week;
  hatching: string;
  /** Shares of the chart's width. */
  left: number;
  width: number;
  /** Heights of contributions and files in pixels. */
  heights: readonly [number, number];
  labelOnPhone: boolean;
  dateOnPhone: boolean;
}>;

function Column({ week, hatching, left, width, heights, labelOnPhone, dateOnPhone }: ColumnProps): ReactNode {
  const [contributions, files] = heights;
  const place = { x: percent(left), width: percent(width) };
  const middle = percent(left + width / 2);
  return (
    <g>
      <Bar mark="filled" hatching={hatching} {...place} y={BASE - contributions} height={contributions} />
      <Bar mark="hatched" hatching={hatching} {...place} y={BASE - contributions - files} height={files} />
      {week.total > 0 && (
        <text
          x={middle}
          y={BASE - contributions - files - 6}
          textAnchor="middle"
          className={clsx('tabular fill-ink font-medium', !labelOnPhone && 'hidden sm:block')}
        >
          {formatNumber(week.total)}
        </text>
      )}
      <text
        x={middle}
        y={BASE + 20}
        textAnchor="middle"
        className={clsx('tabular fill-muted', !dateOnPhone && 'hidden sm:block')}
      >
        {formatDay(week.start)}
      </text>
    </g>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

const ROW = 45;
const BAR_HEIGHT = 12;

/** Draws one bar a kind, with name and number above it. */
export function KindChart({ kinds }: Readonly<{ kinds: readonly KindTotal[] }>): ReactNode {
  const hatching = useId();
  const first = findBusiest(kinds);
  const largest = Math.max(1, first?.total ?? 0);
  return (
    <svg
      role="img"
      aria-label={texts.kindChart(first === undefined ? '' : KIND_LABELS[first.kind], formatNumber(first?.total ?? 0))}
      width="100%"
      height={ROW * kinds.length}
      className="block text-sm"
    >
      <Hatching id={hatching} />
      {kinds.map(({ kind, total }, index) => (
        <g key={kind}>
          <text x="0" y={ROW * index + 16} className="fill-ink">
            {KIND_LABELS[kind]}
          </text>
          <text x="100%" y={ROW * index + 16} textAnchor="end" className="tabular fill-ink font-medium">
            {formatNumber(total)}
          </text>
          <rect x="0" y={ROW * index + 24} width="100%" height={BAR_HEIGHT} rx="2" className="fill-sunken" />
          {total > 0 && (
            <Bar
              mark="filled"
              hatching={hatching}
              x={0}
              y={ROW * index + 24}
              width={`${Math.max(0.8, (100 * total) / largest)}%`}
              height={BAR_HEIGHT}
            />
          )}
        </g>
      ))}
    </svg>
  );
}

/** Filled: contributions. Hatched: files. The marks differ without colour. */
type Mark = 'filled' | 'hatched';

function Hatching({ id }: Readonly<{ id: string }>): ReactNode {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" className="fill-accent-wash" />
        <line x1="0" y1="0" x2="0" y2="6" strokeWidth="3" className="stroke-accent" />
      </pattern>
    </defs>
  );
}

type BarProps = Readonly<{
  mark: Mark;
  hatching: string;
  x: number | string;
  y: number;
  width: number | string;
  height: number;
}>;

function Bar({ mark, hatching, ...place }: BarProps): ReactNode {
  if (place.height <= 0) return null;
  if (mark === 'filled') return <rect {...place} rx="2" className="fill-accent" />;
  return <rect {...place} rx="2" fill={`url(#${hatching})`} strokeWidth="1" className="stroke-accent" />;
}

const LEGEND = [
  ['filled', texts.contributions],
  ['hatched', texts.files],
] as const;

function Legend({ hatching }: Readonly<{ hatching: string }>): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
      {LEGEND.map(([mark, name]) => (
        <li key={name} className="flex items-center gap-2">
          <svg aria-hidden width="16" height="16">
            <Bar mark={mark} hatching={hatching} x={1} y={1} width={14} height={14} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
