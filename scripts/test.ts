import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { playwrightOutcome, vitestOutcome, type Failure, type Outcome } from './test-reports.ts';

/**
 * `npm test`: every check in one run. Each check counts as one test, each browser, wire and unit test as its own.
 * Goes on after a failure, so that one run shows everything; names at the end what failed, and closes with
 * `N passed, N failed`. With CI=true what failed gets a second try; what passes only then is named, too.
 */
const RESULTS = 'test-results';
const SECOND_TRY = process.env['CI'] === 'true';
// A whole rotten folder is no lame test.
const MOST_SECOND_TRIES = 10;

rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });

const outcomes = [
  check('types', ['node', 'scripts/types.ts']),
  check('lint and import rules', ['oxlint', '--type-aware', '--deny-warnings']),
  check('format', ['oxfmt', '--check', '.']),
  check('unused code and packages', ['knip']),
  check('build', ['node', 'scripts/bootstrap.mjs', '--build']),
  vitest('unit', ['--project', 'unit', '--project', 'web']),
  vitest('wire', ['--project', 'wire']),
  honest('browser', playwrightOutcome, `${RESULTS}/e2e.json`, ['playwright', 'test']),
];

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.flatMap((outcome) => outcome.failed);
const lame = outcomes.flatMap((outcome) => outcome.lame);
if (lame.length > 0) process.stdout.write(`\nPassed only at the second try:\n${lame.map(listed).join('')}`);
if (failed.length > 0) process.stdout.write(`\nFailed:\n${failed.map((one) => listed(named(one))).join('')}`);
process.stdout.write(`\n${passed} passed, ${failed.length} failed\n`);
process.exit(failed.length === 0 && passed > 0 ? 0 : 1);

function check(name: string, command: readonly string[]): Outcome {
  return run(name, command)
    ? { passed: 1, failed: [], lame: [] }
    : { passed: 0, failed: [{ file: 'check', name }], lame: [] };
}

function vitest(name: string, args: readonly string[]): Outcome {
  const first = vitestRun(name, args);
  if (!SECOND_TRY || first.failed.length === 0 || first.failed.length > MOST_SECOND_TRIES) return first;
  const files = [...new Set(first.failed.map(({ file }) => file))];
  if (files.some((file) => file === name)) return first;
  const second = vitestRun(`${name} again`, [...args, ...files]);
  const stillFailing = new Set(second.failed.map(named));
  const healed = first.failed.filter((one) => !stillFailing.has(named(one)));
  return { passed: first.passed + healed.length, failed: second.failed, lame: healed.map(named) };
}

function vitestRun(name: string, args: readonly string[]): Outcome {
  const file = `${RESULTS}/${name.replaceAll(' ', '-')}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return honest(name, vitestOutcome, file, ['vitest', 'run', ...args, ...reporters]);
}

/** A runner that fails without a failing test (it could not start, it crashed) has failed all the same. */
function honest(name: string, read: (file: string) => Outcome, file: string, command: readonly string[]): Outcome {
  const clean = run(name, command);
  const outcome = read(file);
  return clean || outcome.failed.length > 0 ? outcome : { ...outcome, failed: [{ file: name, name: 'the runner' }] };
}

function run(name: string, [command = '', ...args]: readonly string[]): boolean {
  process.stdout.write(`\n── ${name}\n`);
  const ok = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  process.stdout.write(ok ? `✓ ${name}\n` : `✗ ${name}\n`);
  return ok;
}

function named({ file, name }: Failure): string {
  return `${file.replace(`${process.cwd()}/`, '')} › ${name}`;
}

function listed(line: string): string {
  return `  ${line}\n`;
}
