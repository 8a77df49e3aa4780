import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { runStage, type Stage } from './stages.ts';

/**
 * `npm run check`: types, lint, format, unused code, measures, and the unit tests that a change since REV can reach.
 * `npm run check -- REV`; without REV: the uncommitted change, in a clean tree the last commit.
 */
const RESULTS = 'test-results/check';
mkdirSync(RESULTS, { recursive: true });

const base = process.argv[2] ?? (isTreeClean() ? 'HEAD~1' : 'HEAD');
const unit = ['vitest', 'run', '--project', 'unit', '--project', 'web', '--passWithNoTests'] as const;
const lanes: readonly (readonly Stage[])[] = [
  [
    { name: 'types', command: ['node', 'scripts/types.ts'] },
    { name: 'format', command: ['oxfmt', '--check', '.'] },
    { name: 'unused', command: ['knip'] },
    { name: 'measures', command: ['node', 'scripts/measures.ts', '--quick'] },
  ],
  [
    { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
    { name: 'unit', command: [...unit, '--changed', base] },
  ],
];

const results = (await Promise.all(lanes.map(runInOrder))).flat();
const failed = results.filter((result) => result.failed.length > 0);
for (const { name, logFile } of failed) process.stdout.write(`\n── ${name}\n${readFileSync(logFile, 'utf8')}\n`);
process.exit(failed.length === 0 ? 0 : 1);

async function runInOrder(stages: readonly Stage[]): Promise<Awaited<ReturnType<typeof runStage>>[]> {
  const done = [];
  for (const stage of stages) done.push(await runStage(stage, RESULTS));
  return done;
}

function isTreeClean(): boolean {
  return spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout.trim() === '';
}
