import { useId, type ReactNode } from 'react';
import { formatNumber } from '#web/ui/format.ts';
import { findBusiest, type KindTotal } from './activity.ts';
import { Bar, Hatching } from './chart-marks.tsx';
import { activityTexts as texts } from './texts.ts';

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
      aria-label={texts.kindChart(first === undefined ? '' : texts.kinds[first.kind], formatNumber(first?.total ?? 0))}
      width="100%"
      height={ROW * kinds.length}
      className="block text-sm"
    >
      <Hatching id={hatching} />
      {kinds.map(({ kind, total }, index) => (
        <g key={kind}>
          <text x="0" y={ROW * index + 16} className="fill-ink">
            {texts.kinds[kind]}
          </text>
          <text x="100%" y={ROW * index + 16} textAnchor="end" className="tabular fill-ink font-medium">
            {formatNumber(total)}
          </text>
          <rect x="0" y={ROW * index + 24} width="100%" height={BAR_HEIGHT} rx="2" className="fill-sunken" />
          {total > 0 && (
            <Bar
              mark={kind === 'interview' ? 'filled' : 'hatched'}
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
