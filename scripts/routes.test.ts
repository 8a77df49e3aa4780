import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeSchema, formatRoutesPage, SERVICES } from './routes/page.ts';

test('docs/routes.md is what the declarations say: `npm run routes` writes it', () => {
  expect(readFileSync('docs/routes.md', 'utf8')).toBe(formatRoutesPage());
});

test('Declares no route twice, and each with a caller', () => {
  const names = SERVICES.flatMap(({ prefix, routes }) =>
    routes.flatMap(({ spec }) => [spec.method].flat().map((method) => `${method} ${prefix}${spec.url}`)),
  );
  expect(names.length).toBeGreaterThan(70);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(SERVICES.flatMap(({ routes }) => routes).filter(({ caller }) => caller === '')).toEqual([]);
});

test.each([
  [z.object({ id: z.string(), name: z.string().optional() }), '`id`, `name?`'],
  [z.union([z.object({ email: z.string() }), z.object({ id: z.number() })]), '`email` or `id`'],
  [z.object({ role: z.string().default('') }).transform((value) => value.role), '`role?`'],
  [z.array(z.string()), 'array'],
])('Names the members of a body (%#)', (schema, text) => expect(describeSchema(schema)).toBe(text));
