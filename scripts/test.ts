/**
 * `npm test`: every check in one run. Browser tests wait for a browser, the others for a database and a processor, so
 * both run side by side. A failure does not end the run. Nothing gets a second try. The last lines name each failure
 * and close with `N passed, N failed`; the whole output of a stage is in `test-results/<stage>.log`.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { describeNewMemory, measureNewMemory } from './new-memory.ts';
import { makeVitestStage, runStage, type Stage, type StageResult } from './stages.ts';
import { readPlaywrightReport, type Failure } from './test-reports.ts';

const RESULTS = 'test-results';
const LOG_LINES = 60;

rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });
const newMemory = measureNewMemory();

// The browser tests and those that start the whole server need the built application.
const build = run({ name: 'build', command: ['node', 'scripts/bootstrap.mjs', '--build'] });
const results = await Promise.all([
  build,
  // Takes the processor that the build leaves.
  run({ name: 'types', command: ['node', 'scripts/types.ts'] }),
  ...inOrder(build, [
    {
      name: 'browser',
      // The wire tests end last, so these give way to them a little.
      command: ['nice', '-n', '2', 'playwright', 'test'],
      readReport: () => readPlaywrightReport(`${RESULTS}/e2e.json`),
    },
  ]),
  ...inOrder(build, [makeVitestStage('wire', RESULTS, ['--project', 'wire'])]),
  // The soak waits most of the time; what follows it never does, and fills the gaps of the others.
  ...inOrder(build, [
    { name: 'soak', command: ['node', 'tests/soak/main.ts', '--minutes', '2', '--rounds', '1', '--calm'] },
    makeVitestStage('unit', RESULTS, ['--project', 'unit', '--project', 'web', '--logHeapUsage', '--maxWorkers=2']),
    { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
    { name: 'format', command: ['oxfmt', '--check', '.'] },
    { name: 'unused', command: ['knip'] },
  ]),
]);

const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.flatMap((result) => result.failed);
for (const result of results) if (result.failed.length > 0) process.stdout.write(logEnd(result));
if (failed.length > 0) process.stdout.write(`\nFailed:\n${failed.map(describeFailure).join('')}`);
process.stdout.write(`\n${describeNewMemory(newMemory)}${passed} passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;

function run(stage: Stage): Promise<StageResult> {
  return runStage(stage, RESULTS);
}

/** Each stage begins when the one before it has ended, the first after `first`. */
function inOrder(first: Promise<StageResult>, stages: readonly Stage[]): Promise<StageResult>[] {
  let before = first;
  return stages.map((stage) => (before = before.then(() => run(stage))));
}

function logEnd({ name, logFile }: StageResult): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  return `\n── ${name} (the last lines of ${logFile})\n${lines.slice(-LOG_LINES).join('\n')}\n`;
}

function describeFailure({ file, name, message }: Failure): string {
  const where = file.replace(`${process.cwd()}/`, '');
  const indented = message === undefined ? '' : `${message.replaceAll(/^/gm, '    ')}\n`;
  return `  ${where} › ${name}\n${indented}`;
}
