import { isIP } from 'node:net';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { formatName, PLAIN_TEXT, qualifyName } from '#backend/maintenance.ts';
import type { Env } from '../../env.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import { MoveError, retryWhileAway, toApiError, toDatabaseError, toStorageError } from './errors.ts';
import type { MovedTable } from './tables.ts';

/** The hosted project: its services by the official client, its rows by its database. */
export type Target = Readonly<{
  url: string;
  serviceKey: string;
  supabase: SupabaseClient;
  db: Queries;
  /** The same connection, for COPY and migrations. */
  client: pg.Client;
  /** Aborts every running request. */
  signal: AbortSignal;
  close: () => Promise<void>;
}>;

/** Any number, the same in every version. */
const MOVE_LOCK = 7_236_094;

/** Throws MoveError where the project cannot be reached, or not with the rights a move needs. */
export async function openTarget(env: Env, signal: AbortSignal): Promise<Target> {
  const addresses = readAddresses(env);
  checkAddresses(addresses);
  const { url, serviceKey, databaseUrl } = addresses;
  const supabase = createClient(url, serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => fetch(input, { ...init, signal }) },
  });
  await retryWhileAway({ signal }, () => checkServiceKey(supabase));
  const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true, connectionTimeoutMillis: 20_000 });
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    const db = queueQueries(client);
    await db.query(PLAIN_TEXT);
    // Rows that a policy hides would count as missing.
    await db.query('set row_security = off');
    await lockTarget(db);
    return { url, serviceKey, supabase, db, client, signal, close };
  } catch (error) {
    await close();
    throw toDatabaseError(error);
  }
}

const TIMED_OUT = '55P03';

/** Allows one move at a time. Waits a little, because the lock of a killed move ends with its connection. */
async function lockTarget(db: Queries): Promise<void> {
  await db.query(`set lock_timeout = '3s'`);
  await db.query('select pg_advisory_lock($1)', [MOVE_LOCK]).catch((error: unknown) => {
    throw error instanceof pg.DatabaseError && error.code === TIMED_OUT ? new MoveError('another_move') : error;
  });
  await db.query('reset lock_timeout');
}

function readAddresses(env: Env): Addresses {
  const { SUPABASE_URL: url, SUPABASE_SERVICE_KEY: serviceKey, SUPABASE_DB_URL: databaseUrl } = env;
  const given = { SUPABASE_URL: url, SUPABASE_SERVICE_KEY: serviceKey, SUPABASE_DB_URL: databaseUrl };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (url === undefined || serviceKey === undefined || databaseUrl === undefined)
    throw new MoveError('settings_missing', missing.map(([name]) => name).join(', '));
  return { url, serviceKey, databaseUrl };
}

/** Only the service key may list accounts. */
async function checkServiceKey(supabase: SupabaseClient): Promise<void> {
  const { error } = await supabase.auth.admin.listUsers({ page: 1, perPage: 1 });
  if (error === null) return;
  if (error.status === 401 || error.status === 403) throw new MoveError('wrong_key', '', { cause: error });
  throw toApiError(error);
}

/** The hosted project's database. */
export type Queries = Readonly<{
  query: <Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    values?: unknown[],
  ) => Promise<pg.QueryResult<Row>>;
}>;

/** Runs queries one after the other. Errors say that they come from the target's database. */
export function queueQueries(client: pg.Client): Queries {
  const queue = createSerialQueue();
  return {
    query: async <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
      queue
        .run(() => client.query<Row>(sql, values))
        .catch((error: unknown) => {
          throw toDatabaseError(error);
        }),
  };
}

export type Addresses = Readonly<{ url: string; serviceKey: string; databaseUrl: string }>;

/** The pooler's transaction mode has no session, so no locks and no temporary tables. */
const TRANSACTION_POOLER_PORT = '6543';

/** Requires encrypted connections and two addresses of one project, before the first connection. */
export function checkAddresses({ url, databaseUrl }: Addresses): void {
  const [api, database] = [new URL(url), new URL(databaseUrl)];
  if (api.protocol !== 'https:' && !isThisMachine(api.hostname)) throw new MoveError('not_secret', 'SUPABASE_URL');
  const host = database.searchParams.get('host') ?? database.hostname;
  const mode = database.searchParams.get('sslmode') ?? 'disable';
  if (['disable', 'allow', 'prefer'].includes(mode) && !isThisMachine(host))
    throw new MoveError('not_secret', 'SUPABASE_DB_URL');
  if (database.port === TRANSACTION_POOLER_PORT) throw new MoveError('pooler');
  const project = /^([a-z0-9]{20})\.supabase\.co$/.exec(api.hostname)?.[1];
  const named = `${database.username}@${host}`;
  if (project !== undefined && /supabase\.(?:co|com)$/.test(host) && !named.includes(project))
    throw new MoveError('other_project', project);
}

/** Also true for a path, which is a socket on this machine. */
function isThisMachine(host: string): boolean {
  if (host.startsWith('/')) return true;
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Requires the rights to fill the accounts' tables, and that no foreign trigger fires there. Throws MoveError. */
export async function checkRights(db: Queries, tables: readonly MovedTable[]): Promise<void> {
  const accounts = tables.filter(({ schema }) => schema === 'auth').map(qualifyName);
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass(name) is null
       or not has_table_privilege(name, 'select') or not has_table_privilege(name, 'insert')
       or not has_table_privilege(name, 'update') or not has_table_privilege(name, 'delete')`,
    [accounts],
  );
  if (rows.length > 0) throw new MoveError('rights_missing', rows.map(({ name }) => name).join(', '));
  const triggers = await db.query<{ name: string }>(
    `select format('%s (%s)', tgname, tgrelid::regclass) as name from pg_trigger
     where not tgisinternal and tgenabled <> 'D' and tgrelid = any ($1::regclass[])`,
    [accounts],
  );
  if (triggers.rows.length > 0) throw new MoveError('auth_triggers', triggers.rows.map(({ name }) => name).join(', '));
}

/** Requires that both addresses lead to one project: its buckets have the same creation times. Throws MoveError. */
export async function checkSameProject(target: Target): Promise<void> {
  const buckets = 'select id, created_at as made from storage.buckets';
  const { rows } = await target.db.query<{ id: string; made: Date }>(buckets);
  for (const { id, made } of rows) {
    const found = await retryWhileAway(target, () => readCreationTime(target, id));
    // One side may round the time and the other cut it off.
    if (found === undefined || Math.abs(found.getTime() - made.getTime()) > 1) throw new MoveError('other_project', id);
  }
}

/** undefined: there is no such bucket. */
async function readCreationTime({ supabase }: Target, bucket: string): Promise<Date | undefined> {
  const { data, error } = await supabase.storage.getBucket(bucket);
  if (error === null) return new Date(data.created_at);
  const failure = toStorageError(error, bucket, 0);
  if (failure.code === 'file_refused') return undefined;
  throw failure;
}

/** Throws MoveError `columns_missing`. */
export async function checkColumns(db: Queries, table: MovedTable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select a.attname as name from pg_attribute as a
      where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
    [qualifyName(table)],
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = [...table.columns, ...Object.keys(table.given)].filter((name) => !there.has(name));
  if (missing.length > 0) throw new MoveError('columns_missing', `${formatName(table)} (${missing.join(', ')})`);
}
