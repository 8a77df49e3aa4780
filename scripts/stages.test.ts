import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { makeVitestStage, runStage, type Stage } from './stages.ts';

const folder = mkdtempSync(join(tmpdir(), 'smca-stages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `vitest` of the command is a program that ends like this. */
async function failuresOf({ exit, report, args = [] }: { exit: number; report?: object; args?: readonly string[] }) {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stage = makeVitestStage('unit', folder, args);
  rmSync(join(folder, 'unit.json'), { force: true });
  if (report !== undefined) writeFileSync(join(folder, 'unit.json'), JSON.stringify(report));
  const command: Stage['command'] = ['node', '-e', `process.exit(${exit})`, '--', ...stage.command];
  const { failed } = await runStage({ ...stage, command }, folder);
  vi.restoreAllMocks();
  return failed.map(({ name }) => name);
}

const PASSED = { numPassedTests: 2, testResults: [] };

test.each([
  ['tests that passed', { exit: 0, report: PASSED }, []],
  ['a runner that crashed', { exit: 1, report: PASSED }, ['(the runner)']],
  ['a runner that ended well and left no report', { exit: 0 }, ['(the runner)']],
  ['a run in which no test ran', { exit: 0, report: { ...PASSED, numPassedTests: 0 } }, ['(the runner)']],
  ['a run that may be without tests', { exit: 0, args: ['--passWithNoTests'] }, []],
])('A stage of %s is judged by its end and its report', async (_case, given, failures) => {
  expect(await failuresOf(given)).toEqual(failures);
});
