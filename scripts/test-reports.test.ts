import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPlaywrightReport, readVitestReport } from './test-reports.ts';

const folder = mkdtempSync(join(tmpdir(), 'reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeReport(content: unknown): string {
  const file = join(folder, `${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('reports of a run', () => {
  it('names each failed unit test with its message, and a file whose hook failed', () => {
    const file = writeReport({
      numPassedTests: 3,
      testResults: [
        {
          name: '/a.test.ts',
          status: 'failed',
          assertionResults: [{ status: 'failed', fullName: 'adds', failureMessages: ['expected 2'] }],
        },
        { name: '/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
        { name: '/c.test.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'fine' }] },
      ],
    });
    expect(readVitestReport(file)).toEqual({
      passed: 3,
      failed: [
        { file: '/a.test.ts', name: 'adds', message: 'expected 2' },
        { file: '/b.test.ts', name: '(the file itself)', message: 'no such module' },
      ],
    });
  });

  it('finds browser tests at any depth and counts a test that passed at its second try as failed', () => {
    const spec = (title: string, status: string): object => ({
      title,
      file: 'x.spec.ts',
      tests: [{ status, results: [{ errors: [{ message: `${title} broke` }] }] }],
    });
    const file = writeReport({
      suites: [
        { file: 'x.spec.ts', specs: [spec('one', 'expected')], suites: [{ specs: [spec('two', 'unexpected')] }] },
        { file: 'x.spec.ts', suites: [{ suites: [{ specs: [spec('three', 'flaky')] }] }] },
      ],
    });
    expect(readPlaywrightReport(file)).toEqual({
      passed: 1,
      failed: [
        { file: 'x.spec.ts', name: 'two', message: 'two broke' },
        { file: 'x.spec.ts', name: 'three (passed at the second try)', message: 'three broke' },
      ],
    });
  });

  it('counts nothing as passed without a report', () => {
    expect(readVitestReport(join(folder, 'none'))).toEqual({ passed: 0, failed: [] });
    expect(readPlaywrightReport(join(folder, 'none'))).toEqual({ passed: 0, failed: [] });
  });
});
