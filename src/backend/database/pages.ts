import type pg from 'pg';

const PAGE_ROWS = 500;

/**
 * The answer in pages, so that any number of rows costs the memory of two; within the transaction that is open. The
 * next page is asked for while one is being used.
 */
export async function* pages<Row extends pg.QueryResultRow>(client: pg.Client, sql: string): AsyncGenerator<Row[]> {
  yield* await openPages<Row>(client, sql);
}

/** The same, with the first page asked for already. */
export async function openPages<Row extends pg.QueryResultRow>(
  client: pg.Client,
  sql: string,
): Promise<AsyncGenerator<Row[]>> {
  await client.query(`declare pages no scroll cursor for ${sql}`);
  return fetched(client, ask<Row>(client));
}

type Answer<Row extends pg.QueryResultRow> = Promise<pg.QueryResult<Row>>;

async function* fetched<Row extends pg.QueryResultRow>(client: pg.Client, first: Answer<Row>): AsyncGenerator<Row[]> {
  let asked = first;
  for (;;) {
    const { rows } = await asked;
    const more = rows.length === PAGE_ROWS;
    if (more) asked = ask<Row>(client);
    if (rows.length > 0) yield rows;
    if (!more) break;
  }
  await client.query('close pages');
}

function ask<Row extends pg.QueryResultRow>(client: pg.Client): Answer<Row> {
  const answer = client.query<Row>(`fetch ${PAGE_ROWS} from pages`);
  // It is awaited in its turn; until then its failure is nobody's.
  answer.catch(() => undefined);
  return answer;
}
