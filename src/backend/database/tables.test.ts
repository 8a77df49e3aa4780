import type pg from 'pg';
import { expect, test } from 'vitest';
import { pages } from './tables.ts';

/** Answers every fetch with a full page, as a table without an end would. */
function fakeClient(): Readonly<{ client: pg.Client; statements: string[] }> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return { rows: sql.startsWith('fetch') ? Array.from({ length: 500 }, (_, id) => ({ id })) : [] };
  };
  return { client: { query } as unknown as pg.Client, statements };
}

test('Closes the cursor where the reader stops early, so that the transaction can read again', async () => {
  const { client, statements } = fakeClient();
  for await (const rows of pages(client, 'select 1')) {
    expect(rows).toHaveLength(500);
    break;
  }
  expect(statements.at(-1)).toBe('close pages');
});
