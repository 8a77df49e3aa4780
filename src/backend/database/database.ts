import { createHmac } from 'node:crypto';
import { Duplex } from 'node:stream';
import pg from 'pg';
import { type Connections, openConnections } from './connections.ts';
import { createStatementNames } from './prepared.ts';
import { isConnectionError } from './connection-errors.ts';

/** One open transaction. */
export type Tx = Readonly<{
  query: <Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params?: readonly unknown[],
    options?: QueryOptions,
  ) => Promise<pg.QueryResult<Row>>;
}>;

/**
 * `prepare`: the server keeps the plan where the same text comes often; its result columns must never change. The
 * default is true for the owner's statements with parameters, which the services write. `last`: a transaction that only
 * reads ends right behind this statement, without another way to the database.
 */
type QueryOptions = Readonly<{ prepare?: boolean; last?: boolean }>;

/** The caller of a transaction. SQL sees every value as PostgREST shows it. */
export type CallerContext = Readonly<{
  role: string;
  claims: Readonly<Record<string, unknown>>;
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  readOnly?: boolean;
  /** First is where unqualified names are looked up. */
  searchPath?: readonly string[];
  /** Further settings, local to the transaction, e.g. `{ 'storage.operation': 'object.upload' }`. */
  settings?: Readonly<Record<string, string>>;
  statementTimeoutMs?: number;
}>;

export type Database = Readonly<{
  /**
   * One transaction with role and claims set locally: what it may see and change is decided by PostgreSQL. Runs `work`
   * once more where the connection is lost before the commit, so `work` has no effects outside the database that may
   * not be repeated; the same holds for `asOwner`.
   */
  asCaller: <T>(context: CallerContext, work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** One transaction with the owner's rights: for the services' own bookkeeping, never for a caller's data. */
  asOwner: <T>(work: (tx: Tx) => Promise<T>, options?: Readonly<{ readOnly?: boolean }>) => Promise<T>;
  /** Throws where the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

export type DatabaseOptions = Readonly<{
  url: string;
  poolSize?: number;
  statementTimeoutMs?: number;
  /** How long requests wait for a database that cannot be reached. */
  patienceMs?: number;
  /** Receives the loss of each idle connection. */
  onError: (error: Error) => void;
}>;

const DEFAULT_STATEMENT_TIMEOUT_MS = 8_000;
/** Longer than a restart of PostgreSQL takes, shorter than clients wait for an answer. */
const DEFAULT_PATIENCE_MS = 10_000;

/** Two pools: `authenticator`, which can become any request role and nothing else, and the owner of the URL. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const size = options.poolSize ?? 10;
  const { patienceMs = DEFAULT_PATIENCE_MS, onError } = options;
  const requests = openConnections({ url: buildAuthenticatorUrl(options.url), max: size, patienceMs, onError });
  const owner = openConnections({ url: options.url, max: Math.max(2, Math.ceil(size / 2)), patienceMs, onError });
  return {
    asCaller: (context, work) => transaction(requests, asRole(context, timeout), work),
    asOwner: (work, { readOnly = false } = {}) => transaction(owner, readOnly ? READING_OWNER : OWNER, work),
    ping: () => ping(requests).catch((error: unknown) => repeatPing(requests, error)),
    close: async () => void (await Promise.all([requests.end(), owner.end()])),
  };
}

/** Every server derives the same password from the owner's. */
export function deriveAuthenticatorPassword(ownerUrl: string): string {
  return createHmac('sha256', new URL(ownerUrl).password).update('authenticator').digest('base64url');
}

export function buildAuthenticatorUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = deriveAuthenticatorPassword(ownerUrl);
  url.username = 'authenticator';
  return url.href;
}

async function ping(connections: Connections): Promise<void> {
  const client = await connections.acquireNow();
  let broken = true;
  try {
    await client.query('select 1');
    broken = false;
  } finally {
    if (broken) connections.lost(client);
    client.release(broken);
  }
}

/** A connection that was lost while idle says nothing about the database. */
async function repeatPing(connections: Connections, error: unknown): Promise<void> {
  if (!isConnectionError(error)) throw error;
  await ping(connections);
}

/** The connection ended before the transaction did; `committing`: its outcome is unknown. */
class LostTransaction extends Error {
  readonly committing: boolean;
  constructor(cause: unknown, committing: boolean) {
    super('connection lost', { cause });
    this.committing = committing;
  }
}

/**
 * Runs the transaction once more where its connection was lost before `commit` was sent: PostgreSQL has undone the
 * first one. After that its outcome is unknown, and the error is thrown.
 */
async function transaction<T>(from: Connections, opening: Opening, work: (tx: Tx) => Promise<T>): Promise<T> {
  const attempt = (): Promise<T> => attemptTransaction(from, opening, work);
  const getCause = (error: unknown): never => {
    throw error instanceof LostTransaction ? error.cause : error;
  };
  return attempt().catch((error: unknown) => {
    const begunAgain = error instanceof LostTransaction && !error.committing;
    return begunAgain ? attempt().catch(getCause) : getCause(error);
  });
}

async function attemptTransaction<T>(from: Connections, opening: Opening, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await from.acquire();
  const statements = watchStatements(client);
  // Not waited for: the connection is pipelined, so the first statement goes out in the same round trip. Where opening
  // fails, the transaction is aborted or was never begun, and no statement in it takes effect for the caller.
  sendTogether(client);
  const opened = opening.open(statements);
  opened.catch(() => undefined);
  let committing = false;
  let broken = false;
  const { tx, endReading } = openTx(opening, statements);
  try {
    const result = await work(tx);
    await opened;
    committing = !opening.readOnly;
    if (opening.readOnly) endReading();
    else requireCommitted(await statements.query('commit'));
    return result;
  } catch (error) {
    const failedOpening = opened.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    await client.query('rollback').catch(() => (broken = true));
    if (broken) from.lost(client);
    if (broken && statements.lost() !== undefined) throw new LostTransaction(statements.lost(), committing);
    throw (await failedOpening) ?? error;
  } finally {
    client.release(broken);
  }
}

/** `endReading`: a read-only transaction cannot fail to commit; the next request on the connection waits for it. */
function openTx(opening: Opening, statements: Statements): Readonly<{ tx: Tx; endReading: () => void }> {
  let ended = false;
  const endReading = (): void => {
    if (!ended) statements.query('commit').catch(() => undefined);
    ended = true;
  };
  const query: Tx['query'] = (sql, params, options) => {
    const answer = statements.query<never>(opening.configure(sql, params, options));
    if (options?.last === true && opening.readOnly) endReading();
    return answer;
  };
  return { tx: { query }, endReading };
}

/** PostgreSQL answers `commit` with ROLLBACK where a statement failed and `work` went on: nothing of it was stored. */
function requireCommitted({ command }: pg.QueryResult): void {
  if (command === 'ROLLBACK') throw new Error('the transaction was rolled back: a statement in it failed unnoticed');
}

type Statements = Readonly<{
  query: <Row extends pg.QueryResultRow>(config: string | pg.QueryConfig) => Promise<pg.QueryResult<Row>>;
  /** Why the first statement failed that failed with the connection. */
  lost: () => unknown;
}>;

function watchStatements(client: pg.PoolClient): Statements {
  let lost: unknown;
  return {
    query: (config) =>
      client.query(config).catch((error: unknown) => {
        if (lost === undefined && isConnectionError(error)) lost = error;
        throw error;
      }),
    lost: () => lost,
  };
}

/** Everything written to the connection in this turn leaves in one packet. */
function sendTogether(client: pg.PoolClient): void {
  const stream = 'connection' in client ? Object(client.connection).stream : undefined;
  if (!(stream instanceof Duplex)) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

type Configure = (sql: string, params: readonly unknown[] | undefined, options?: QueryOptions) => pg.QueryConfig;

type Opening = Readonly<{
  open: (client: Pick<Statements, 'query'>) => Promise<unknown>;
  readOnly: boolean;
  configure: Configure;
}>;

const nameCallersText = createStatementNames();
const nameOwnText = createStatementNames();

function configure(sql: string, params: readonly unknown[] | undefined, name: string | undefined): pg.QueryConfig {
  return {
    text: sql,
    ...(params === undefined ? {} : { values: [...params] }),
    ...(name === undefined ? {} : { name }),
  };
}

const configureForCaller: Configure = (sql, params, { prepare = false } = {}) =>
  configure(sql, params, prepare ? nameCallersText(sql) : undefined);

const configureForOwner: Configure = (sql, params, { prepare = params !== undefined } = {}) =>
  configure(sql, params, prepare ? nameOwnText(sql) : undefined);

const OWNER: Opening = {
  open: (client) => client.query('begin'),
  readOnly: false,
  configure: configureForOwner,
};

const READING_OWNER: Opening = { ...OWNER, open: (client) => client.query('begin read only'), readOnly: true };

const SETTINGS = 'select count(set_config(name, value, true)) from unnest($1::text[], $2::text[]) as s (name, value)';

/** Opens the transaction and sets everything the rest of it may look at, values as parameters. */
function asRole(context: CallerContext, defaultTimeoutMs: number): Opening {
  const settings: Record<string, string> = {
    role: context.role,
    search_path: (context.searchPath ?? ['public', 'extensions']).map((name) => pg.escapeIdentifier(name)).join(', '),
    statement_timeout: String(context.statementTimeoutMs ?? defaultTimeoutMs),
    'request.jwt.claims': JSON.stringify(context.claims),
    'request.method': context.method,
    'request.path': context.path,
    'request.headers': JSON.stringify(context.headers),
    ...context.settings,
  };
  const values = [Object.keys(settings), Object.values(settings)];
  const readOnly = context.readOnly === true;
  const open = (client: Pick<Statements, 'query'>): Promise<unknown> =>
    Promise.all([
      client.query(`begin ${readOnly ? 'read only' : 'read write'}`),
      client.query({ name: 'caller_settings', text: SETTINGS, values }),
    ]);
  return { open, readOnly, configure: configureForCaller };
}
