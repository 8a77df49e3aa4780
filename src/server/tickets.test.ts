import { expect, test } from 'vitest';
import { createTickets } from './tickets.ts';

function testClock() {
  let time = 0;
  return { now: () => time, advance: (ms: number) => void (time += ms) };
}

test('a ticket is good once, for as long as it lives, and no two are alike', () => {
  const clock = testClock();
  const tickets = createTickets<number>(60_000, 100, clock);
  const issued = Array.from({ length: 100 }, (_, at) => tickets.issue('a', at));
  expect(new Set(issued).size).toBe(100);
  expect(tickets.redeem(issued[7] ?? '')).toBe(7);
  expect(tickets.redeem(issued[7] ?? '')).toBeUndefined();
  expect(tickets.redeem('')).toBeUndefined();
  clock.advance(60_000);
  expect(tickets.redeem(issued[8] ?? '')).toBeUndefined();
});

test('whoever asks for ever more tickets loses the oldest, others lose none', () => {
  const tickets = createTickets<number>(60_000, 2, testClock());
  const foreign = tickets.issue('b', 0);
  const own = [1, 2, 3].map((value) => tickets.issue('a', value));
  expect([foreign, ...own].map((ticket) => tickets.redeem(ticket))).toEqual([0, undefined, 2, 3]);
});
