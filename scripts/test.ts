import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';

/**
 * `npm test`: every check in one run. Each check counts as one test, each browser, wire and unit test as its own.
 * Goes on after a failure, so that one run shows everything; closes with `N passed, N failed`.
 */
type Result = Readonly<{ passed: number; failed: number }>;

/** What vitest and Playwright write, as far as it is read here. */
type Report = Readonly<{
  numPassedTests?: number;
  numFailedTests?: number;
  stats?: Readonly<{ expected: number; unexpected: number; flaky: number }>;
}>;

const RESULTS = 'test-results';
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });

const results = [
  check('types', ['node', 'scripts/types.ts']),
  check('lint and import rules', ['oxlint', '--type-aware', '--deny-warnings']),
  check('format', ['oxfmt', '--check', '.']),
  check('unused code and packages', ['knip']),
  check('build', ['node', 'scripts/bootstrap.mjs', '--build']),
  vitest('unit', ['--project', 'unit', '--project', 'web']),
  vitest('wire', ['--project', 'wire']),
  playwright(),
];

const total = results.reduce((sum, { passed, failed }) => ({
  passed: sum.passed + passed,
  failed: sum.failed + failed,
}));
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

function check(name: string, command: readonly string[]): Result {
  return run(name, command) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function vitest(name: string, args: readonly string[]): Result {
  const file = `${RESULTS}/${name}.json`;
  const clean = run(name, [
    'vitest',
    'run',
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const report = read(file);
  return honest({ passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 }, clean);
}

function playwright(): Result {
  const clean = run('browser', ['playwright', 'test']);
  const stats = read(`${RESULTS}/e2e.json`)?.stats ?? { expected: 0, unexpected: 0, flaky: 0 };
  if (stats.flaky > 0) process.stdout.write(`! ${stats.flaky} browser tests passed only at the second try\n`);
  return honest({ passed: stats.expected + stats.flaky, failed: stats.unexpected }, clean);
}

/** A runner that fails without a failing test (it could not start, a hook broke) has failed all the same. */
function honest(result: Result, clean: boolean): Result {
  return clean || result.failed > 0 ? result : { ...result, failed: 1 };
}

function run(name: string, [command = '', ...args]: readonly string[]): boolean {
  process.stdout.write(`\n── ${name}\n`);
  const ok = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  process.stdout.write(ok ? `✓ ${name}\n` : `✗ ${name}\n`);
  return ok;
}

function read(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
