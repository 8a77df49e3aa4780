import { expect, test } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { chooseByWeight, chooseInRounds } from './faults.ts';

const FAULTS = ['a', 'b', 'c', 'd', 'e', 'f'];

test('Lets every fault strike once a round, in another order each time', () => {
  const chosen = [...chooseInRounds(FAULTS, 3, seededRandom(1))];
  const rounds = [chosen.slice(0, 6), chosen.slice(6, 12), chosen.slice(12)];
  expect(rounds.map((round) => round.toSorted())).toEqual([FAULTS, FAULTS, FAULTS]);
  expect(new Set(rounds.map((round) => round.join())).size).toBe(3);
});

test('Lets a fault strike the more often the more weight it has', () => {
  const [rare, frequent] = [{ weight: 1 }, { weight: 9 }];
  const chosen = chooseByWeight([rare, frequent], seededRandom(1)).take(1_000).toArray();
  const count = chosen.filter((fault) => fault === frequent).length;
  expect(count).toBeGreaterThan(850);
  expect(count).toBeLessThan(950);
});
