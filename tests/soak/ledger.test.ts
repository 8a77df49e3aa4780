import { expect, it } from 'vitest';
import { createLedger, type Verdict } from './ledger.ts';

const cases: readonly [string, (ledger: ReturnType<typeof createLedger>) => void, string | undefined, Verdict][] = [
  ['an acknowledged content that is there', (l) => l.acknowledge('a', 'one'), 'one', 'kept'],
  ['an acknowledged content that is gone', (l) => l.acknowledge('a', 'one'), undefined, 'lost'],
  ['an acknowledged content that is another now', (l) => l.acknowledge('a', 'one'), 'two', 'damaged'],
  ['a write without an answer that took effect', (l) => l.attempt('a', 'one'), 'one', 'kept'],
  ['a write without an answer that did not', (l) => l.attempt('a', 'one'), undefined, 'not acknowledged'],
  ['half of a write without an answer', (l) => l.attempt('a', 'one'), 'o', 'damaged'],
];

it.each(cases)('Judges %s', (_, write, found, verdict) => {
  const ledger = createLedger();
  write(ledger);
  expect(ledger.judge('a', found)).toBe(verdict);
});

it('Allows the acknowledged content and each later one whose answer was lost', () => {
  const ledger = createLedger();
  ledger.attempt('a', 'one');
  ledger.acknowledge('a', 'one');
  ledger.attempt('a', 'two');
  expect(['one', 'two', undefined].map((found) => ledger.judge('a', found))).toEqual(['kept', 'kept', 'lost']);
  ledger.acknowledge('a', 'two');
  expect(ledger.judge('a', 'one')).toBe('damaged');
  expect(ledger.acknowledged()).toBe(1);
});
