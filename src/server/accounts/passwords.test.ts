import { expect, test } from 'vitest';
import { newPassword } from './passwords.ts';
import { table } from './table.ts';

test('a made-up password is long, easy to read aloud, of every kind of character and never the same', () => {
  const made = Array.from({ length: 500 }, newPassword);
  expect(new Set(made).size).toBe(500);
  for (const password of made) {
    expect(password).toMatch(/^[A-HJ-NP-Za-hjkmnp-z2-9]{4}(-[A-HJ-NP-Za-hjkmnp-z2-9]{4}){3}$/);
    expect(password).toMatch(/[a-z]/);
    expect(password).toMatch(/[A-Z]/);
    expect(password).toMatch(/\d/);
  }
});

test('a table is as wide as its widest cell, without blanks at the end', () => {
  expect(table(['A', 'B'], [['lang', 'x']])).toEqual(['A     B', '----  -', 'lang  x']);
});
