import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { DECLARED_PRIVILEGES, GRANTED_PRIVILEGES } from '#tests/rules/privileges.ts';

const DECLARED_IN = 'tests/rules/privileges.ts';
let database: TestDatabase;
let granted: readonly string[];

beforeAll(async () => {
  database = await createDatabase('migrated');
  const rows = await asOwner(database.url, (client) => client.query<{ line: string }>(GRANTED_PRIVILEGES));
  granted = rows.rows.map(({ line }) => line);
});
afterAll(() => database.drop());

test('Request roles have no privilege beyond the declared ones (§6, threats 1, 4 and 5)', () => {
  const declared = new Set(DECLARED_PRIVILEGES);
  expect(
    granted.filter((line) => !declared.has(line)),
    `granted and not declared in ${DECLARED_IN}`,
  ).toEqual([]);
});

test('Request roles have every declared privilege (§6)', () => {
  const there = new Set(granted);
  expect(
    DECLARED_PRIVILEGES.filter((line) => !there.has(line)),
    `declared in ${DECLARED_IN} and not granted`,
  ).toEqual([]);
});

test.each(['3-data', '7-calls'])('The page %s names each field that contributors write (§3, §7)', (page) => {
  const text = readFileSync(`docs/specification/${page}.md`, 'utf8');
  const fields = granted.map((line) => /^update \((\w+)\) on table public.interviews to anon$/.exec(line)?.[1] ?? '');
  expect(fields).toContain('contact_email');
  expect(
    fields.filter((field) => !text.includes(field)),
    `not in docs/specification/${page}.md`,
  ).toEqual([]);
});
