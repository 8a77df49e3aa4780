import { expect, test } from 'vitest';
import { describeNewMemory, measureNewMemory } from './new-memory.ts';

test('Says how long new memory takes, and where times of this machine say little', () => {
  expect(measureNewMemory()).toBeGreaterThan(0);
  expect(describeNewMemory(0.34)).toBe('A page of new memory takes 0.3 µs on this machine.\n');
  expect(describeNewMemory(13.23)).toMatch(/^A page of new memory takes 13\.2 µs .*: times say little\.\n$/);
});
