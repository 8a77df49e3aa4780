import { expect, test } from 'vitest';
import { findPreload, readPreloads } from './build.ts';

const PRELOADS = readPreloads('{"login":["assets/a.js","assets/b.js"],"upload":["assets/c.js"],"":["assets/d.js"]}');

test.each([
  ['/login', '</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload'],
  ['/login?x=/upload', '</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload'],
  ['/firma-a/upload/', '</assets/c.js>; rel=modulepreload'],
  ['/upload/anders', undefined],
  ['/', '</assets/d.js>; rel=modulepreload'],
  ['/?x', '</assets/d.js>; rel=modulepreload'],
  ['/andere', undefined],
])('%s names the files of its first screen (decision 0284)', (url, expected) => {
  expect(findPreload(PRELOADS, url)).toBe(expected);
});
