import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Failure, type Outcome, readVitestReport } from './test-reports.ts';

/**
 * The compiler and the linter are written in Go and spend a third of their time on garbage that memory has room for.
 */
const FEWER_COLLECTIONS = { GOGC: '400' };

/** One command of a run. Its output goes to `<name>.log` in the folder of the results. */
export type Stage = Readonly<{
  name: string;
  command: readonly [string, ...string[]];
  /** Reads the runner's own report; without it the stage counts as one test. */
  readReport?: () => Outcome;
}>;

export type StageResult = Outcome & Readonly<{ name: string; logFile: string; seconds: number }>;

/** Runs a stage to its end and says on standard output when it begins and how it ended. */
export async function runStage(stage: Stage, folder: string): Promise<StageResult> {
  process.stdout.write(`▶ ${stage.name}\n`);
  const begun = performance.now();
  const logFile = path.join(folder, `${stage.name}.log`);
  const succeeded = await runCommand(stage.command, logFile);
  const outcome = judge(stage, succeeded);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const figures = outcome.failed.length === 0 ? `${outcome.passed} passed` : `${outcome.failed.length} failed`;
  process.stdout.write(`${outcome.failed.length === 0 ? '✓' : '✗'} ${stage.name}: ${figures}, ${seconds} s\n`);
  return { ...outcome, name: stage.name, logFile, seconds };
}

/** Tests of vitest as a stage that counts them. `args`: projects, files and further options. */
export function makeVitestStage(name: string, folder: string, args: readonly string[]): Stage {
  const report = `${folder}/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: ['vitest', 'run', ...args, ...reporters], readReport: () => readVitestReport(report) };
}

/**
 * A runner that fails without a failing test (it did not start, it crashed) has failed all the same, and one that ends
 * well has where no test ran, unless it may.
 */
function judge({ name, command, readReport }: Stage, succeeded: boolean): Outcome {
  const broken: Failure = { file: name, name: readReport === undefined ? '(the check)' : '(the runner)' };
  if (readReport === undefined) return succeeded ? { passed: 1, failed: [] } : { passed: 0, failed: [broken] };
  const outcome = readReport();
  const hasRun = outcome.passed > 0 || command.includes('--passWithNoTests');
  return (succeeded && hasRun) || outcome.failed.length > 0 ? outcome : { ...outcome, failed: [broken] };
}

async function runCommand([command, ...args]: readonly [string, ...string[]], logFile: string): Promise<boolean> {
  const log = createWriteStream(logFile);
  await once(log, 'open');
  // Every process of the run loads what one of them has compiled: without it, each test file with a DOM compiles jsdom.
  const compiled = path.resolve(path.dirname(logFile), 'compiled');
  const env = { NODE_COMPILE_CACHE: compiled, ...FEWER_COLLECTIONS, ...process.env };
  const child = spawn(command, args, { stdio: ['ignore', log, log], env });
  const succeeded = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      log.write(`${error.message}\n`);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  log.end();
  return succeeded;
}
