import { describe, expect, test } from 'vitest';
import { planFiles, type SourceFile } from './plan-files.ts';

const file = { bucket: 'Media', name: '1/a.png' };
const source = (version: string): SourceFile => ({
  ...file,
  version,
  type: 'image/png',
  bytes: 1,
  cacheFor: undefined,
  metadata: undefined,
});
const target = (version: string) => ({ ...file, version, size: 1, type: 'image/png' });
const moved = { ...file, version: 'v1', targetVersion: 't1', sha256: 'aa', uploadUrl: null };
const begun = { ...moved, targetVersion: null, sha256: null };
const NOTHING = { source: [], target: [], ledger: [] };

describe('the plan for files', () => {
  test.each([
    ['new here', { ...NOTHING, source: [source('v1')] }, 'upload'],
    ['begun, nothing there', { ...NOTHING, source: [source('v1')], ledger: [begun] }, 'upload'],
    ['begun, something there', { source: [source('v1')], target: [target('t9')], ledger: [begun] }, 'replace'],
    ['replaced here since', { source: [source('v2')], target: [target('t1')], ledger: [moved] }, 'replace'],
    ['there, of unknown origin', { ...NOTHING, source: [source('v1')], target: [target('t1')] }, 'check'],
  ])('%s', (_, known, kind) => {
    expect(planFiles(known)).toMatchObject({ tasks: [{ kind, file }], same: 0, remove: [] });
  });

  test('Moves the largest file first', () => {
    const sizes = [3, 9, 5].map((bytes) => ({ ...source('v1'), name: `1/${bytes}`, bytes }));
    const { tasks } = planFiles({ ...NOTHING, source: sizes });
    expect(tasks.map(({ file }) => file.bytes)).toEqual([9, 5, 3]);
  });

  test('Leaves a moved and unchanged file', () => {
    const plan = planFiles({ source: [source('v1')], target: [target('t1')], ledger: [moved] });
    expect(plan).toMatchObject({ tasks: [], remove: [], forget: [], same: 1 });
  });

  test.each([
    ['moved, then replaced there', { source: [source('v1')], target: [target('t2')], ledger: [moved] }, 'changed'],
    ['moved, then taken away there', { source: [source('v1')], target: [], ledger: [moved] }, 'gone'],
    ['not from here', { ...NOTHING, target: [target('t1')] }, 'foreign'],
    ['removed here, replaced there', { ...NOTHING, target: [target('t2')], ledger: [moved] }, 'changed'],
  ] as const)('%s: refused', (_, known, kind) => {
    const plan = planFiles(known);
    expect(plan.tasks).toEqual([]);
    expect(plan.remove).toEqual([]);
    expect(plan.strange[kind]).toEqual(['Media/1/a.png']);
  });

  test('Removes at the target what was removed at the source, and forgets what neither side has', () => {
    expect(planFiles({ ...NOTHING, target: [target('t1')], ledger: [moved] }).remove).toEqual([target('t1')]);
    expect(planFiles({ ...NOTHING, target: [target('t1')], ledger: [begun] }).remove).toEqual([target('t1')]);
    expect(planFiles({ ...NOTHING, ledger: [moved] })).toMatchObject({ remove: [], forget: [moved] });
  });
});
