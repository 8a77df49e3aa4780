import { globSync, readFileSync } from 'node:fs';
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

test('Leaves out no list of routes', () => {
  const texts = globSync('src/{backend,server}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const lists = texts.flatMap((text) => [...text.matchAll(/export const (\w*ROUTES)\b/g)].map(([, name = '']) => name));
  const page = readFileSync('scripts/routes/page.ts', 'utf8');
  expect(lists.length).toBeGreaterThan(15);
  const isUsed = (name: string): boolean => page.includes(name) || texts.some((text) => text.includes(`...${name}`));
  expect(lists.filter((name) => !isUsed(name))).toEqual([]);
});

test.each([
  [z.object({ id: z.string(), name: z.string().optional() }), '`id`, `name?`'],
  [z.union([z.object({ email: z.string() }), z.object({ id: z.number() })]), '`email` or `id`'],
  [z.object({ role: z.string().default('') }).transform((value) => value.role), '`role?`'],
  [z.array(z.string()), 'array'],
])('Names the members of a body (%#)', (schema, text) => expect(describeSchema(schema)).toBe(text));
