import { expect, test } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { chooseFaults } from './faults.ts';

const FAULTS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, weight: 1 }));

test('Lets every fault strike once a round, in another order each time', () => {
  const chosen = chooseFaults(FAULTS, 3, seededRandom(1)).take(18).toArray();
  const rounds = [chosen.slice(0, 6), chosen.slice(6, 12), chosen.slice(12)];
  const names = rounds.map((round) => round.map(({ name }) => name));
  const each = FAULTS.map(({ name }) => name);
  expect(names.map((round) => round.toSorted())).toEqual([each, each, each]);
  expect(new Set(names.map((round) => round.join())).size).toBe(3);
});

test('Lets a fault strike the more often the more weight it has, once the rounds are over', () => {
  const [rare, frequent] = [{ weight: 1 }, { weight: 9 }];
  const chosen = chooseFaults([rare, frequent], 1, seededRandom(1)).drop(2).take(1_000).toArray();
  const count = chosen.filter((fault) => fault === frequent).length;
  expect(count).toBeGreaterThan(850);
  expect(count).toBeLessThan(950);
});
