import { expect, test } from 'vitest';
import { createStatementNames } from './prepared.ts';

test('a text that comes a third time is kept under one name', () => {
  const nameStatement = createStatementNames();
  const sql = 'select 1 as prepared_test';
  expect([nameStatement(sql), nameStatement(sql)]).toEqual([undefined, undefined]);
  const name = nameStatement(sql);
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(nameStatement(sql)).toBe(name);
});

test('what is kept is bounded, however many texts callers write', () => {
  const nameStatement = createStatementNames();
  const names = new Set<string | undefined>();
  for (let at = 0; at < 1_000; at += 1) {
    for (let time = 0; time < 3; time += 1) names.add(nameStatement(`select ${at} as bounded`));
  }
  names.delete(undefined);
  expect(names.size).toBeLessThanOrEqual(250);
});
