/**
 * `npm run check`: types, lint, format, unused code, measures, all unit tests, and the tests of screens that a change
 * since REV can reach by its imports. `npm run check -- REV`; without REV: the uncommitted change, in a clean tree the
 * last commit.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { makeVitestStage, runStage, type Stage } from './stages.ts';

const RESULTS = 'test-results/check';
mkdirSync(RESULTS, { recursive: true });
// A run without tests writes no report.
rmSync(`${RESULTS}/screens.json`, { force: true });

const base = process.argv[2] ?? (isTreeClean() ? 'HEAD~1' : 'HEAD');
const lanes: readonly (readonly Stage[])[] = [
  [
    { name: 'types', command: ['node', 'scripts/types.ts'] },
    { name: 'format', command: ['oxfmt', '--check', '.'] },
    { name: 'unused', command: ['knip'] },
    { name: 'measures', command: ['node', 'scripts/measures.ts', '--quick'] },
    { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  ],
  [
    // All of them: some read documents, migrations or texts, which no import leads to.
    makeVitestStage('unit', RESULTS, ['--project', 'unit']),
  ],
  // They wait for timers half of the time: on two processors vitest would take one worker.
  [makeVitestStage('screens', RESULTS, ['--project', 'web', '--changed', base, '--passWithNoTests', '--maxWorkers=3'])],
];

const results = (await Promise.all(lanes.map(runInOrder))).flat();
const failed = results.filter((result) => result.failed.length > 0);
for (const { name, logFile } of failed) process.stdout.write(`\n── ${name}\n${readFileSync(logFile, 'utf8')}\n`);
// Not `process.exit`: what is still on its way into a pipe would be cut off.
process.exitCode = failed.length === 0 ? 0 : 1;

async function runInOrder(stages: readonly Stage[]): Promise<Awaited<ReturnType<typeof runStage>>[]> {
  const done = [];
  for (const stage of stages) done.push(await runStage(stage, RESULTS));
  return done;
}

function isTreeClean(): boolean {
  return spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout.trim() === '';
}
