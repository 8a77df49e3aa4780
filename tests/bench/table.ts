import { textTable } from '#tests/support/text-table.ts';

/**
 * One measured figure. `limit` is what the same machine did in the same run without our part, where there is such a
 * thing.
 */
export type Row = Readonly<{
  what: string;
  ours: string;
  limit?: string;
  ratio?: string;
  aim: string;
  met: boolean | undefined;
}>;

type Compared = Readonly<{ what: string; ours: number; limit: number; unit: string; aimPercent: number }>;

/** More is better: a throughput against the most that could be had. */
export function throughput({ what, ours, limit, unit, aimPercent }: Compared): Row {
  const percent = (100 * ours) / limit;
  return {
    what,
    ours: `${ours.toFixed(0)} ${unit}`,
    limit: `${limit.toFixed(0)} ${unit}`,
    ratio: `${percent.toFixed(0)} %`,
    aim: `≥ ${aimPercent} %`,
    met: percent >= aimPercent,
  };
}

/** Less is better: a figure against its ceiling. */
export function ceiling(what: string, ours: number, unit: string, most?: number): Row {
  return {
    what,
    ours: `${ours.toFixed(0)} ${unit}`,
    aim: most === undefined ? '–' : `≤ ${most} ${unit}`,
    met: most === undefined ? undefined : ours <= most,
  };
}

export function print(rows: readonly Row[]): void {
  const head = ['', 'ours', 'limit, same run', 'ratio', 'aim', ''];
  const body = rows.map((row) => [row.what, row.ours, row.limit ?? '', row.ratio ?? '', row.aim, verdict(row.met)]);
  process.stdout.write(textTable(head, body));
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : 'missed';
}
