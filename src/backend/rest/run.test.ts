import { expect, test } from 'vitest';
import { mayTakeLong } from './run.ts';
import { parseQueryString } from './grammar/query-string.ts';

const request = (query: string, bytes = 0) => ({
  query: parseQueryString(query, 'relation'),
  body: Buffer.alloc(bytes),
});
const filters = (count: number) => Array.from({ length: count }, (_, at) => `a=neq.${at}`).join('&');

test.each([
  ['text=like.*a*', true],
  ['text=not.imatch.a', true],
  ['text=wfts(german).a', true],
  ['or=(id.eq.1,and(id.gt.2,text.ilike.*a*))', true],
  ['or=(id.eq.1,and(id.gt.2,text.eq.a))', false],
  ['id=in.(1,2,3)&name=eq.a&order=name&limit=10', false],
  [filters(20), false],
  [filters(21), true],
])('?%s may take long: %s (decision 0201)', (query, long) => {
  expect(mayTakeLong(request(query))).toBe(long);
});

test('Counts a large body as long', () => {
  expect(mayTakeLong(request('id=eq.1', 256 * 1024))).toBe(false);
  expect(mayTakeLong(request('id=eq.1', 256 * 1024 + 1))).toBe(true);
});
