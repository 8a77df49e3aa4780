import type { ReactNode } from 'react';

/** Filled: interviews. Hatched: uploads. The marks differ without colour. */
export type Mark = 'filled' | 'hatched';

export function Hatching({ id }: Readonly<{ id: string }>): ReactNode {
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

export function Bar({ mark, hatching, ...place }: BarProps): ReactNode {
  if (place.height <= 0) return null;
  return mark === 'filled' ? (
    <rect {...place} rx="2" className="fill-accent" />
  ) : (
    <rect {...place} rx="2" fill={`url(#${hatching})`} strokeWidth="1" className="stroke-accent" />
  );
}

export function Legend({
  entries,
  hatching,
}: Readonly<{ entries: readonly Readonly<{ mark: Mark; name: string }>[]; hatching: string }>): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
      {entries.map(({ mark, name }) => (
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
