import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { PLAIN_TEXT } from '#backend/maintenance.ts';
import type { Env } from '../../env.ts';
import { checkAddresses, type Addresses } from './addresses.ts';
import { databaseFault } from './fault-of.ts';
import { MoveFault } from './faults.ts';
import { orderly, type Queries } from './queries.ts';

/** The hosted project: its services by the official client, its rows by its database. */
export type Target = Readonly<{
  url: string;
  serviceKey: string;
  supabase: SupabaseClient;
  db: Queries;
  /** The same connection, for what is no question and answer. */
  client: pg.Client;
  /** Ends every call that is under way. */
  signal: AbortSignal;
  close: () => Promise<void>;
}>;

// Any number will do, as long as every move uses the same.
const MOVING = 7_236_094;

/** Throws MoveFault where the project cannot be reached, or not with the rights a move needs. */
export async function openTarget(env: Env, signal: AbortSignal): Promise<Target> {
  const addresses = addressesIn(env);
  checkAddresses(addresses);
  const { url, serviceKey, databaseUrl } = addresses;
  const supabase = createClient(url, serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => fetch(input, { ...init, signal }) },
  });
  await checkServiceKey(supabase);
  const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true, connectionTimeoutMillis: 20_000 });
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    const db = orderly(client);
    await db.query(PLAIN_TEXT);
    // Rows that a policy hid would look as if they were not there.
    await db.query('set row_security = off');
    await beAlone(db);
    return { url, serviceKey, supabase, db, client, signal, close };
  } catch (error) {
    await close();
    throw databaseFault(error);
  }
}

const TIMED_OUT = '55P03';

/** One move at a time; one that was killed a moment ago is waited for. The lock ends with the connection. */
async function beAlone(db: Queries): Promise<void> {
  await db.query(`set lock_timeout = '3s'`);
  await db.query('select pg_advisory_lock($1)', [MOVING]).catch((error: unknown) => {
    throw error instanceof pg.DatabaseError && error.code === TIMED_OUT ? new MoveFault('another_move') : error;
  });
  await db.query('reset lock_timeout');
}

function addressesIn(env: Env): Addresses {
  const { SUPABASE_URL: url, SUPABASE_SERVICE_KEY: serviceKey, SUPABASE_DB_URL: databaseUrl } = env;
  const given = { SUPABASE_URL: url, SUPABASE_SERVICE_KEY: serviceKey, SUPABASE_DB_URL: databaseUrl };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (url === undefined || serviceKey === undefined || databaseUrl === undefined)
    throw new MoveFault('settings_missing', missing.map(([name]) => name).join(', '));
  return { url, serviceKey, databaseUrl };
}

/** Only the service key may list accounts; every other one is refused. */
async function checkServiceKey(supabase: SupabaseClient): Promise<void> {
  const { error } = await supabase.auth.admin.listUsers({ page: 1, perPage: 1 });
  if (error === null) return;
  if (error.status === 401 || error.status === 403) throw new MoveFault('wrong_key', '', { cause: error });
  throw apiFault(error);
}

/** No answer or a fault of the other side's, which may pass; or a refusal, which will not. */
export function apiFault(error: Readonly<{ message: string; status?: number | undefined }>): MoveFault {
  const status = error.status ?? 0;
  return status === 0 || status >= 500
    ? new MoveFault('api_away', '', { cause: error })
    : new MoveFault('api_failed', error.message, { cause: error });
}
