import type pg from 'pg';

const PAGE_ROWS = 500;

/** The answer in pages, so that any number of rows costs the memory of one; within the transaction that is open. */
export async function* pages<Row extends pg.QueryResultRow>(client: pg.Client, sql: string): AsyncGenerator<Row[]> {
  await client.query(`declare pages no scroll cursor for ${sql}`);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${PAGE_ROWS} from pages`);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) break;
  }
  await client.query('close pages');
}
