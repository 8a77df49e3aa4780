import path from 'node:path';
import { expect, test } from 'vitest';
import { serverPlaces } from './server-places.ts';

const plugin = serverPlaces(path.resolve('dist/server'), { 'hash-thread': 'src/backend/auth/hash-thread.ts' });

/** What the build reads instead of this text of `src/backend/auth/hashing.ts`. */
function place(code: string, file = 'src/backend/auth/hashing.ts'): unknown {
  const { transform } = plugin;
  const handler = typeof transform === 'object' ? transform.handler : transform;
  const changed = handler?.call(undefined as never, code, path.resolve(file));
  return typeof changed === 'object' && changed !== null && 'code' in changed ? changed.code : changed;
}

/** What the expression `new URL('…', new URL('…', import.meta.url).href)` is in a file of `dist/server`. */
function resolve(expression: unknown): string {
  const steps = [...String(expression).matchAll(/'([^']+)'/g)].map(([, step = '']) => step);
  return steps.reduceRight((base, step) => new URL(step, base).href, 'file:///app/dist/server/main.js');
}

test('What stands beside a source of the server is found there from its build (decision 0341)', () => {
  const beside = place(`new URL('common-passwords.txt', import.meta.url)`);
  expect(resolve(beside)).toBe('file:///app/src/backend/auth/common-passwords.txt');
});

test('A thread begins with its own file of the build (decision 0341)', () => {
  expect(resolve(place(`new URL('hash-thread.ts', import.meta.url)`))).toBe('file:///app/dist/server/hash-thread.js');
});

test('A thread that the build does not make stops the build (decision 0341)', () => {
  expect(() => place(`new URL('other-thread.ts', import.meta.url)`)).toThrow('which is no entry of the server');
});

test('Packages and sources without a place of their own stay as they are', () => {
  expect(place('import.meta.url', 'node_modules/pino/pino.js')).toBeUndefined();
  expect(place('export const one = 1;')).toBeUndefined();
});
