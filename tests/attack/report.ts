import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { textTable } from '#tests/support/text-table.ts';
import type { Outcome } from './run.ts';

const HEAD = ['attack', 'attempts', 'refused', 'memory in MiB', 'member, p95 in ms', '/health', 'verdict'];
const REPORT = 'docs/reliability.md';
const BEGIN = '<!-- attacks: begin -->';
const END = '<!-- attacks: end -->';

export function hasHeld({ broken, slow }: Outcome): boolean {
  return broken.length === 0 && slow.length === 0;
}

function cells(outcome: Outcome): string[] {
  const { attack, tally, memory, felt } = outcome;
  const whole = (value: number): string => value.toFixed(0);
  const ratio = (felt.during / felt.calm).toFixed(1);
  return [
    attack.name,
    String(tally.attempts()),
    tally.refused(),
    `${whole(memory.before)} → ${whole(memory.peak)} → ${whole(memory.after)}`,
    `${whole(felt.calm)} → ${whole(felt.during)} (${ratio} ×)`,
    whole(felt.health),
    getVerdict(outcome),
  ];
}

/** `slow` where only claims about time are broken: on a busy machine they say little. */
function getVerdict(outcome: Outcome): string {
  if (hasHeld(outcome)) return 'held';
  return outcome.broken.length === 0 ? 'slow' : 'FAILED';
}

/** The table, and below it what each failed verdict is about. */
export function attackTable(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter((outcome) => !hasHeld(outcome));
  const details = failed.map((outcome) => `${outcome.attack.name}: ${complaints(outcome)}\n`).join('');
  return `${textTable(HEAD, outcomes.map(cells))}\n${details}`;
}

function complaints({ broken, slow }: Outcome): string {
  return [...broken, ...slow].join('; ');
}

/** Replaces the rows of these attacks in `docs/reliability.md`, and leaves those of others. */
export async function writeReport(outcomes: readonly Outcome[]): Promise<void> {
  const text = await readFile(REPORT, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const [present, after] = rest?.split(END) ?? [];
  if (present === undefined || after === undefined) throw new Error(`${REPORT} has no place for the attacks`);
  const lines = new Map(present.split('\n').flatMap((line) => getEntry(line)));
  for (const outcome of outcomes) lines.set(outcome.attack.name, reportLine(outcome));
  const titles = [...HEAD.slice(0, 1), 'how', ...HEAD.slice(1)];
  const table = [row(titles), row(titles.map(() => '---')), ...lines.values()].join('\n');
  await writeFile(REPORT, `${before}${BEGIN}\n\n${table}\n\n${machine()}\n\n${END}${after}`);
}

function getEntry(line: string): [string, string][] {
  const name = /^\| `([\w-]+)` /.exec(line)?.[1];
  return name === undefined ? [] : [[name, line]];
}

function reportLine(outcome: Outcome): string {
  const [name = '', ...rest] = cells(outcome);
  const verdict = hasHeld(outcome) ? 'held' : `${getVerdict(outcome)}: ${complaints(outcome)}`;
  return row([`\`${name}\``, outcome.attack.about, ...rest.slice(0, -1), verdict]);
}

function row(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

/** Figures of time mean nothing without it. */
function machine(): string {
  const [, , load = 0] = loadavg();
  return `Measured on ${availableParallelism()} cores; mean load of the 15 minutes before the end: ${load.toFixed(1)}.`;
}
