import { writeSection } from '#tests/support/reliability.ts';
import { textTable } from '#tests/support/text-table.ts';
import { findKnown, findNeedless } from './known.ts';
import { MUTATION_KINDS, type Mutation } from './mutation.ts';

/** `fast`: a rule of tests/rules. `wire`: only a test against a started server. */
export type Result = Readonly<{ mutation: Mutation; outcome: 'fast' | 'wire' | 'survived' | 'impossible' }>;

const HEAD = ['mutation', 'tried', 'noticed by a rule', 'noticed by a wire test', 'survived', 'refused by PostgreSQL'];

function rows(results: readonly Result[]): string[][] {
  const counted = MUTATION_KINDS.map((kind) =>
    row(
      kind,
      results.filter(({ mutation }) => mutation.kind === kind),
    ),
  );
  return [...counted, row('all', results)];
}

function row(title: string, results: readonly Result[]): string[] {
  const count = (outcome: Result['outcome']): string =>
    String(results.filter((result) => result.outcome === outcome).length);
  return [title, String(results.length), count('fast'), count('wire'), count('survived'), count('impossible')];
}

export function getSurvivors(results: readonly Result[]): Mutation[] {
  return results.flatMap(({ mutation, outcome }) => (outcome === 'survived' ? [mutation] : []));
}

/** Survivors without a reason: each is a test that is missing. */
export function unexplained(results: readonly Result[]): Mutation[] {
  return getSurvivors(results).filter((mutation) => findKnown(mutation) === undefined);
}

export function resultTable(results: readonly Result[]): string {
  const missing = unexplained(results).map(({ kind, name }) => `survived: ${kind}: ${name}\n`);
  const tried = results.map(({ mutation }) => mutation);
  const needless = findNeedless(tried, getSurvivors(results)).map(
    ({ kind, objects, change }) => `listed in known.ts, and noticed: ${kind}: ${objects.join(', ')} ${change ?? ''}\n`,
  );
  return `${textTable(HEAD, rows(results))}\n${missing.join('')}${needless.join('')}`;
}

/** Writes table and survivors, with the reason of each, into docs/reliability.md. */
export async function writeResults(results: readonly Result[]): Promise<void> {
  await writeSection('mutations', HEAD, rows(results));
  const survivors = getSurvivors(results).map((mutation) => [
    mutation.kind,
    `\`${mutation.name.replaceAll('|', '\\|')}\``,
    findKnown(mutation)?.reason ?? 'a test is missing',
  ]);
  await writeSection('survivors', ['survivor', 'change', 'why'], survivors);
}
