import { textTable } from '#tests/support/text-table.ts';
import type { SoakResult } from './soak.ts';

/**
 * Answers a client expects while something is broken. 409: the same bytes had arrived before, their answer was lost.
 */
const EXPECTED_REFUSALS = new Set(['no answer', '409', '503', '507']);

export const HEAD = ['', 'one server, embedded PostgreSQL', 'two servers, one PostgreSQL, S3'];

/** Refusals that are a failure of the product: neither 'later' (503) nor 'full' (507). */
export function unexpectedRefusals({ refusals }: SoakResult): readonly string[] {
  return [...refusals].filter(([kind]) => !EXPECTED_REFUSALS.has(kind)).map(([kind, count]) => `${count} × ${kind}`);
}

export function hasHeld(result: SoakResult): boolean {
  const { check, failedStarts, unexpectedEnds, unrecovered } = result;
  const kept = check.acknowledged > 0 && check.lost.length === 0 && check.damaged.length === 0;
  const alive = failedStarts === 0 && unexpectedEnds.length === 0;
  return kept && alive && unrecovered === 0 && unexpectedRefusals(result).length === 0;
}

/** One line a figure, one column an installation. */
export function soakRows(results: readonly SoakResult[]): string[][] {
  const line = (name: string, figure: (result: SoakResult) => number | string): string[] => [
    name,
    ...results.map((result) => String(figure(result))),
  ];
  const names = [
    'server killed',
    'database killed',
    'both killed',
    'connections lost',
    'half clients',
    'disk full',
  ] as const;
  return [
    ...names.map((name) => line(name, ({ faults }) => faults.get(name) ?? 0)),
    line('acknowledged rows and files', ({ check }) => check.acknowledged),
    line('lost', ({ check }) => check.lost.length),
    line('damaged', ({ check }) => check.damaged.length),
    line('failed starts', ({ failedStarts }) => failedStarts),
    line('servers that ended by themselves', ({ unexpectedEnds }) => unexpectedEnds.length),
    line('faults without recovery', ({ unrecovered }) => unrecovered),
    line('worst start of a server', ({ worstStartMs }) => `${(worstStartMs / 1000).toFixed(1)} s`),
    line(
      'worst time from a fault to the next acknowledged write',
      ({ worstRecoveryMs }) => `${(worstRecoveryMs / 1000).toFixed(1)} s`,
    ),
    line('refused', ({ refusals }) => [...refusals].map(([kind, count]) => `${count} × ${kind}`).join(', ') || '–'),
  ];
}

export function soakTable(results: readonly SoakResult[]): string {
  const broken = results.flatMap(({ check }) => [...check.lost, ...check.damaged]);
  const unexpected = results.flatMap(unexpectedRefusals);
  const details = [
    ...results.flatMap(({ unexpectedEnds }) => unexpectedEnds),
    ...(broken.length === 0 ? [] : [`lost or damaged: ${broken.slice(0, 20).join(', ')}`]),
    ...(unexpected.length === 0 ? [] : [`answers that should not be: ${unexpected.join(', ')}`]),
  ];
  return [textTable(HEAD, soakRows(results)), ...details, ''].join('\n');
}
