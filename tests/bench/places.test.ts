import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runFile } from '#tests/support/processes.ts';
import { describePlaces, listCpuPlaces, listHeapPlaces } from './places.ts';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });
const ROOT = new URL('../../', import.meta.url).href;

test('Sums the time of a place over its samples, without the idle time', () => {
  const nodes = [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('run', `${ROOT}src/backend/rest/run.ts`, 29) },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('run', `${ROOT}src/backend/rest/run.ts`, 29) },
  ];
  const profile = { nodes, samples: [1, 2, 3, 4], timeDeltas: [9_000, 1_000, 1_000, 2_000] };
  expect(listCpuPlaces(profile)).toEqual([
    { where: 'run src/backend/rest/run.ts:30', amount: 3, percent: 75 },
    { where: '(garbage collector)', amount: 1, percent: 25 },
  ]);
});

test('Ranks ten places by what they allocated', () => {
  const children = Array.from({ length: 12 }, (_, index) => ({
    callFrame: frame(`f${index}`, 'node:net'),
    selfSize: index * 1024 * 1024,
    children: [],
  }));
  const places = listHeapPlaces({ head: { callFrame: frame(''), selfSize: 0, children } });
  expect(places).toHaveLength(10);
  expect(places[0]).toMatchObject({ where: 'f11 node:net:1', amount: 11 });
  expect(describePlaces(places, 'MB')).toContain('11.0 MB');
});

test.each([
  [[], 'npm run profile -- rest|insert|download|upload|resumable|refresh|inbox|start|backup'],
  [['everything'], 'npm run profile -- rest|'],
  [['rest', 'insert'], 'npm run profile -- rest|'],
])('Refuses the rows %j', async (rows, words) => {
  const { code, err } = await runFile('tests/bench/profile.ts', rows, {});
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
});

test('Overwrites no profile', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-profile-'));
  await writeFile(path.join(folder, 'rest.heapprofile'), 'kept');
  const { code, err } = await runFile('tests/bench/profile.ts', ['rest', '--into', folder], {});
  expect([code, err]).toEqual([2, expect.stringContaining('rest.heapprofile exists and is not overwritten')]);
  await rm(folder, { recursive: true });
});
