import { expect, test } from 'vitest';
import { generatePassword } from './accounts.ts';
import { formatTable } from './commands.ts';

test('Generates long passwords that differ, with every kind of character and none that look alike', () => {
  const made = Array.from({ length: 500 }, generatePassword);
  expect(new Set(made).size).toBe(500);
  for (const password of made) {
    expect(password).toMatch(/^[A-HJ-NP-Za-hjkmnp-z2-9]{4}(-[A-HJ-NP-Za-hjkmnp-z2-9]{4}){3}$/);
    expect(password).toMatch(/[a-z]/);
    expect(password).toMatch(/[A-Z]/);
    expect(password).toMatch(/\d/);
  }
});

test('Formats columns as wide as their widest cell, without spaces at the end', () => {
  expect(formatTable(['A', 'B'], [['lang', 'x']])).toEqual(['A     B', '----  -', 'lang  x']);
});
