import { parseArgs } from 'node:util';
import { makeRunFolder } from '#tests/support/run-folder.ts';
import { ATTACKS } from './attacks/index.ts';
import { attackTable, hasHeld, writeReport } from './report.ts';
import { runAttack, type Outcome } from './run.ts';
import { prepareData } from './target.ts';

/** `npm run attack`: known ways to take the server down or to fill it, each against a server of its own. */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    report: { type: 'boolean', default: false },
    beside: { type: 'boolean', default: false },
  },
});
const chosen = values.only.length === 0 ? ATTACKS : ATTACKS.filter(({ name }) => values.only.includes(name));
if (chosen.length === 0) {
  process.stderr.write(`There is no such attack. There are: ${ATTACKS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}
if (values.beside && values.report) {
  process.stderr.write('The report tells of members of the attacked server.\n');
  process.exit(2);
}

const folder = await makeRunFolder();
const outcomes: Outcome[] = [];
try {
  const used = await prepareData(folder.path);
  for (const attack of chosen) {
    process.stdout.write(`${attack.name}: ${attack.about}\n`);
    outcomes.push(await runAttack(attack, used, undefined, values.beside));
  }
} finally {
  await folder.remove();
}
process.stdout.write(`\n${attackTable(outcomes)}\n`);
if (values.report) await writeReport(outcomes);
const failed = outcomes.filter((outcome) => !hasHeld(outcome));
process.stdout.write(`${outcomes.length - failed.length} held, ${failed.length} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);
