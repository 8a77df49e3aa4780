import type pg from 'pg';
import { createTurns } from '../../turns.ts';
import { databaseFault } from './fault-of.ts';

/** The hosted project's database. */
export type Queries = Readonly<{
  query: <Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    values?: unknown[],
  ) => Promise<pg.QueryResult<Row>>;
}>;

/** One after the other, whoever asks; what goes wrong says whose database it was. */
export function orderly(client: pg.Client): Queries {
  const turns = createTurns();
  return {
    query: async <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
      turns
        .take(() => client.query<Row>(sql, values))
        .catch((error: unknown) => {
          throw databaseFault(error);
        }),
  };
}
