import { useMemo, type ReactNode } from 'react';
import { encode } from 'uqr';

const BORDER = 2;

/** Black on white in both themes: cameras need it. Drawn as one path, without any markup from a string. */
export function QrCode({ value, label }: Readonly<{ value: string; label: string }>): ReactNode {
  const { size, path } = useMemo(() => {
    const code = encode(value, { ecc: 'M', border: BORDER });
    const squares = code.data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size: code.size, path: squares.join('') };
  }, [value]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className="w-full max-w-56 rounded-control">
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}
