import { expect, test } from 'vitest';
import type { PartState, SetupPartName, SetupParts } from '#contract/setup-parts.ts';
import { countReady, findNextStep, PART_ORDER } from './use-setup-parts.ts';

/** All parts ready but for these. */
function withStates(states: Partial<Record<SetupPartName, PartState>>): SetupParts {
  const parts = PART_ORDER.map((name) => [name, { state: states[name] ?? 'ready' }]);
  return Object.fromEntries(parts) as SetupParts;
}

test('Counts the parts that are in order', () => {
  expect(countReady(withStates({ mail: 'missing', backup: 'broken' }))).toBe(8);
});

test('What is broken goes before what is missing, and the more important part first', () => {
  const step = (states: Partial<Record<SetupPartName, PartState>>) => findNextStep(withStates(states));
  expect(step({ retention: 'broken', address: 'missing' })).toEqual({ part: 'retention', state: 'broken' });
  expect(step({ retention: 'missing', mail: 'missing' })).toEqual({ part: 'mail', state: 'missing' });
  expect(step({})).toBeUndefined();
});
