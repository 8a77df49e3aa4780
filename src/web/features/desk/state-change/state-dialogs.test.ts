import { expect, it } from 'vitest';
import { parsePublishedLink } from './state-dialogs.tsx';

it.each([
  ['https://www.linkedin.com/posts/1', 'https://www.linkedin.com/posts/1'],
  ['  http://verband.example/a b  ', 'http://verband.example/a%20b'],
  ['', undefined],
  ['www.linkedin.com/posts/1', undefined],
  ['https://', undefined],
  ['https://localhost', undefined],
  ['javascript:alert(1)//a.b', undefined],
  ['data:text/html,x.y', undefined],
  [`https://a.example/${'x'.repeat(2_000)}`, undefined],
])('Desk: parses %j as a link', (typed, link) => {
  expect(parsePublishedLink(typed)).toBe(link);
});
