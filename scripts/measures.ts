import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { startMegabytes } from './measures/installed-size.ts';
import { isBroken, judge, LIMITS, type Judgement } from './measures/limits.ts';
import { measureSources, type Measure } from './measures/measure.ts';
import { readSources } from './measures/source.ts';

/**
 * `npm run measures`: prints the measures of docs/measures.md with their limits; exit code 1 where a limit is broken.
 * `--quick` leaves out the size on disk; `--places TEXT` lists the places behind the measures whose name holds TEXT.
 */
const options = process.argv.slice(2);
const wanted = options[options.indexOf('--places') + 1];
const PLACES = 20;

const PackageSchema = z.object({ imports: z.record(z.string(), z.string()) });
const { imports } = PackageSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')));

const measures: Measure[] = measureSources(readSources(['src', 'tests', 'scripts', '*.config.ts']), imports);
if (!options.includes('--quick')) {
  measures.push({ name: 'megabytes installed by npm start', value: startMegabytes('.'), places: [] });
}
const judgements = measures.map(({ name, value }) => judge(name, value, LIMITS[name]));
process.stdout.write(`${formatTable(judgements)}\n`);
for (const [index, { name, places }] of measures.entries()) {
  const judgement = judgements[index];
  const isBad = judgement !== undefined && isBroken(judgement);
  const isWanted = options.includes('--places') && wanted !== undefined && name.includes(wanted);
  const shown = isWanted ? places : isBad ? places.slice(0, PLACES) : [];
  if (shown.length > 0) process.stdout.write(`\n${name}\n${shown.map((place) => `  ${place}\n`).join('')}`);
}
if (judgements.some(isBroken))
  process.stdout.write(
    '\nThe limits stand in scripts/measures/limits.ts; docs/measures.md says which a new feature may raise.\n',
  );
process.exit(judgements.some(isBroken) ? 1 : 0);

function formatTable(rows: readonly Judgement[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name: string, ...columns: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${columns.map((column) => String(column).padStart(8)).join('')}`;
  const body = rows.map(({ name, value, limit, aim, verdict }) => `${line(name, value, limit, aim)}  ${verdict}`);
  return [line('', 'value', 'limit', 'aim'), ...body].join('\n');
}
