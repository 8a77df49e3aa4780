import { expect, test } from 'vitest';
import { describeMachine, isDisturbed, parseTicks, share, watchMachine } from './machine.ts';
import { formatRows } from './table.ts';

const STAT = 'cpu  100 20 30 800 10 5 5 30 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n';

test('Reads busy and stolen time of the whole machine', () => {
  expect(parseTicks(STAT)).toEqual({ busy: 160, stolen: 30, all: 1_000 });
  expect(parseTicks('cpu0 1 2 3')).toBeUndefined();
});

test('Compares two looks, and knows nothing where the system tells nothing', () => {
  const from = { busy: 100, stolen: 0, all: 1_000 };
  expect(share('busy', from, { busy: 150, stolen: 10, all: 1_200 })).toBe(25);
  expect(share('stolen', from, { busy: 150, stolen: 10, all: 1_200 })).toBe(5);
  expect(share('busy', undefined, from)).toBeUndefined();
});

test.each([
  [{ load: 0.1, othersBefore: 2, stolen: 0 }, 'load 0.1, others 2 %, steal 0 %'],
  [{ load: 7.1, othersBefore: 63, stolen: 1 }, 'LOADED: load 7.1, others 63 %, steal 1 %'],
  [{ load: 0.2, othersBefore: 1, stolen: 9 }, 'LOADED: load 0.2, others 1 %, steal 9 %'],
  [{ load: 3, othersBefore: undefined, stolen: undefined }, 'load 3.0, others ?, steal ?'],
])('Says of %j: %s', (machine, text) => {
  expect(describeMachine(machine)).toBe(text);
  expect(isDisturbed(machine)).toBe(text.startsWith('LOADED'));
});

test('Marks the row that a loaded machine measured', async () => {
  const row = { what: 'insert', ours: '5 requests/s', aim: '–', met: undefined };
  const { result, machine } = await watchMachine(async () => row);
  expect(machine.load).toBeGreaterThanOrEqual(0);
  const loaded = { ...result, machine: { load: 9, othersBefore: 80, stolen: 0 } };
  expect(formatRows([loaded])).toContain('LOADED: load 9.0, others 80 %, steal 0 %');
});
