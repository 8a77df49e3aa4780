import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { playwrightOutcome, vitestOutcome } from './test-reports.ts';

const folder = mkdtempSync(join(tmpdir(), 'reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function report(content: unknown): string {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('what a run is said to have been', () => {
  it('names each failed unit test, and a file whose hook broke', () => {
    const file = report({
      numPassedTests: 3,
      testResults: [
        { name: '/a.test.ts', status: 'failed', assertionResults: [{ status: 'failed', fullName: 'adds' }] },
        { name: '/b.test.ts', status: 'failed', assertionResults: [] },
        { name: '/c.test.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'fine' }] },
      ],
    });
    expect(vitestOutcome(file)).toEqual({
      passed: 3,
      failed: [
        { file: '/a.test.ts', name: 'adds' },
        { file: '/b.test.ts', name: '(the file itself)' },
      ],
      lame: [],
    });
  });

  it('finds browser tests however deep, and tells lame from broken', () => {
    const spec = (title: string, status: string): object => ({ title, file: 'x.spec.ts', tests: [{ status }] });
    const file = report({
      suites: [
        { file: 'x.spec.ts', specs: [spec('one', 'expected')], suites: [{ specs: [spec('two', 'unexpected')] }] },
        { file: 'x.spec.ts', suites: [{ suites: [{ specs: [spec('three', 'flaky')] }] }] },
      ],
    });
    const outcome = playwrightOutcome(file);
    expect(outcome.passed).toBe(2);
    expect(outcome.failed).toMatchObject([{ file: 'x.spec.ts', name: 'two' }]);
    expect(outcome.lame).toEqual(['x.spec.ts › three']);
  });

  it('says nothing passed where there is no report', () => {
    expect(vitestOutcome(join(folder, 'none'))).toEqual({ passed: 0, failed: [], lame: [] });
  });
});
