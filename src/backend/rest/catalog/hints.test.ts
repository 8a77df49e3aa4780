import { describe, expect, test } from 'vitest';
import { buildCatalog, describeRoutine, LIBRARY } from '#tests/support/rest-catalog.ts';
import { findNearest, functionNotInCache, tableNotInCache } from './hints.ts';

const catalog = await buildCatalog({
  ...LIBRARY,
  routines: [describeRoutine('add', ['a integer', 'b integer']), describeRoutine('greet', ['name text'])],
});

describe('the likely name', () => {
  test.each([
    ['interview', ['interviews', 'media_uploads'], 'interviews'],
    ['Interviews', ['interviews'], 'interviews'],
    ['users', ['media_uploads', 'interviews'], undefined],
    ['x'.repeat(10_000), ['x'.repeat(60)], undefined],
    ['bokos', ['books', 'boxes'], undefined],
    ['book', ['books', 'booking'], 'books'],
    ['books', [], undefined],
    ['', ['a'], undefined],
  ])('%# of candidates', (name, candidates, found) => expect(findNearest(name, candidates)).toBe(found));
});

describe('a table that is not there (PGRST205)', () => {
  test.each([
    ['book', "Perhaps you meant the table 'public.books'"],
    ['secrets', null],
  ])('%s', (name, hint) => {
    expect(tableNotInCache(catalog, 'public', name)).toMatchObject({
      status: 404,
      code: 'PGRST205',
      message: `Could not find the table 'public.${name}' in the schema cache`,
      details: null,
      hint,
    });
  });
});

describe('a function that is not there (PGRST202)', () => {
  test.each([
    [
      'add',
      ['a', 'c'],
      'none',
      'Could not find the function public.add(a, c) in the schema cache',
      'Searched for the function public.add with parameters a, c, but no matches were found in the schema cache.',
      'Perhaps you meant to call the function public.add(a, b)',
    ],
    [
      'add',
      ['a'],
      'json',
      'Could not find the function public.add(a) in the schema cache',
      'Searched for the function public.add with parameter a or with a single unnamed json/jsonb parameter,' +
        ' but no matches were found in the schema cache.',
      'Perhaps you meant to call the function public.add(a, b)',
    ],
    [
      'greets',
      [],
      'none',
      'Could not find the function public.greets without parameters in the schema cache',
      'Searched for the function public.greets without parameters, but no matches were found in the schema cache.',
      'Perhaps you meant to call the function public.greet',
    ],
    [
      'greet',
      [],
      'bytea',
      'Could not find the function public.greet in the schema cache',
      'Searched for the function public.greet with a single unnamed bytea parameter,' +
        ' but no matches were found in the schema cache.',
      null,
    ],
    [
      'nothing_like_it',
      ['x'],
      'none',
      'Could not find the function public.nothing_like_it(x) in the schema cache',
      'Searched for the function public.nothing_like_it with parameter x,' +
        ' but no matches were found in the schema cache.',
      null,
    ],
  ] as const)('%s(%j) called with %s', (name, keys, body, message, details, hint) => {
    const error = functionNotInCache(catalog, 'public', name, keys, body);
    expect(error).toMatchObject({ status: 404, code: 'PGRST202', message, details, hint });
  });
});
