import type pg from 'pg';
import type { CallerContext, Database, Tx } from '#backend/database/index.ts';

/**
 * The services' view of a database on one connection, inside one transaction that is never committed: each of their
 * transactions is a savepoint. So a test undoes everything at once, changes of the schema as well.
 */
export function databaseOfSavepoints(client: pg.ClientBase): Database {
  let depth = 0;
  async function inSavepoint<T>(open: () => Promise<unknown>, work: (tx: Tx) => Promise<T>): Promise<T> {
    const name = `nested_${(depth += 1)}`;
    await client.query(`savepoint ${name}`);
    try {
      await open();
      const result = await work({
        query: (sql, params) => client.query(sql, params === undefined ? undefined : [...params]),
      });
      await client.query(`release ${name}; reset role; ${FORGET_CALLER}`);
      return result;
    } catch (error) {
      await client.query(`rollback to ${name}; release ${name}`);
      throw error;
    } finally {
      depth -= 1;
    }
  }
  return {
    asCaller: (context, work) => inSavepoint(() => becomeCaller(client, context), work),
    asOwner: (work) => inSavepoint(() => Promise.resolve(), work),
    ping: async () => void (await client.query('select 1')),
    // The caller opened the client and closes it.
    close: () => Promise.resolve(),
  };
}

/** What a transaction of its own would forget by itself. */
const FORGET_CALLER = `select set_config(name, '', true)
  from unnest(array['request.jwt.claims', 'request.headers', 'interviews.issued_id',
    'storage.caller_network', 'storage.resumable']) as s (name)`;

async function becomeCaller(client: pg.ClientBase, context: CallerContext): Promise<void> {
  const settings = {
    search_path: 'public, extensions',
    statement_timeout: '8000',
    'request.jwt.claims': JSON.stringify(context.claims),
    'request.headers': JSON.stringify(context.headers),
    'interviews.issued_id': '',
    'storage.caller_network': '',
    'storage.resumable': '',
    ...context.settings,
    // Last: the role could not set some of the others.
    role: context.role,
  };
  await client.query('select set_config(name, value, true) from unnest($1::text[], $2::text[]) as s (name, value)', [
    Object.keys(settings),
    Object.values(settings),
  ]);
}
