import { textTable } from '#tests/support/text-table.ts';
import { describeMachine, type Disturbance } from './machine.ts';

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
  /** What else the machine did meanwhile. */
  machine?: Disturbance;
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

/** More is better: a score against its least. */
export function floor(what: string, ours: number, unit: string, least: number): Row {
  return { what, ours: `${ours} ${unit}`, aim: `≥ ${least}`, met: ours >= least };
}

export function formatRows(rows: readonly Row[]): string {
  const head = ['', 'ours', 'limit, same run', 'ratio', 'aim', '', 'machine'];
  const body = rows.map(({ what, ours, limit = '', ratio = '', aim, met, machine }) => {
    return [what, ours, limit, ratio, aim, verdict(met), machine === undefined ? '' : describeMachine(machine)];
  });
  return textTable(head, body);
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : 'missed';
}
