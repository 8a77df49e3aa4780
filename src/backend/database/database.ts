import { createHmac } from 'node:crypto';
import pg from 'pg';
import { type Connections, openConnections } from './connections.ts';
import { createStatementNames, type NameStatement } from './prepared.ts';
import { isConnectionError } from './connection-errors.ts';
import { encodeValue } from './encode-value.ts';
import type { Statement, StatementResult } from './statement-group.ts';
import { runTransaction, type Opening } from './transaction.ts';

/** One open transaction. Statements that are asked for at the same time wait for the database once. */
export type Tx = Readonly<{
  query: <Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    params?: readonly unknown[],
    options?: QueryOptions,
  ) => Promise<StatementResult<Row>>;
}>;

type QueryOptions = Readonly<{
  /** Keep the plan; result columns must never change. True for the owner's statements with parameters. */
  prepare?: boolean;
  /** Commit (dry run: roll back) in the same packet, where the transaction reads, is retryable or a dry run. */
  endsTransaction?: boolean;
}>;

/** The caller of a transaction. SQL sees every value as PostgREST shows it. */
export type CallerContext = Readonly<{
  role: string;
  claims: Readonly<Record<string, unknown>>;
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  readOnly?: boolean;
  /** Asks whether the work is allowed: it is rolled back. */
  dryRun?: boolean;
  /** First is where unqualified names are looked up. */
  searchPath?: readonly string[];
  /** Further settings, local to the transaction, e.g. `{ 'storage.operation': 'object.upload' }`. */
  settings?: Readonly<Record<string, string>>;
  statementTimeoutMs?: number;
}>;

/** `retryable`: the work may be run again even if the first run was committed. */
type OwnerOptions = Readonly<{ readOnly?: boolean; retryable?: boolean }>;

export type Database = Readonly<{
  /**
   * One transaction with role and claims set locally; PostgreSQL decides. Like `asOwner` it runs `work` once more where
   * PostgreSQL has undone the first run, so `work` has only effects outside the database that may be repeated.
   */
  asCaller: <T>(context: CallerContext, work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** One transaction with the owner's rights, never for a caller's data. */
  asOwner: <T>(work: (tx: Tx) => Promise<T>, options?: OwnerOptions) => Promise<T>;
  /** Throws where the database does not answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}>;

export type DatabaseOptions = Readonly<{
  url: string;
  poolSize?: number;
  /** For one statement of a caller who has no limit of its own. */
  statementTimeoutMs?: number | undefined;
  /** How long requests wait for a database out of reach; half as long, but at least 5 s, for a free connection. */
  reconnectTimeoutMs?: number | undefined;
  /** Receives the loss of each idle connection. */
  onError: (error: Error) => void;
}>;

const DEFAULT_STATEMENT_TIMEOUT_MS = 8_000;
/** Longer than a restart of PostgreSQL takes, shorter than clients wait for an answer. */
const DEFAULT_RECONNECT_TIMEOUT_MS = 10_000;

/** Two pools: `authenticator`, which can become any request role and nothing else, and the owner of the URL. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const size = options.poolSize ?? 10;
  const { reconnectTimeoutMs = DEFAULT_RECONNECT_TIMEOUT_MS, onError } = options;
  const waiting = { reconnectTimeoutMs, onError };
  const requests = openConnections({ url: buildAuthenticatorUrl(options.url), max: size, ...waiting });
  const owner = openConnections({ url: options.url, max: Math.max(2, Math.ceil(size / 2)), ...waiting });
  const callers = { connections: requests, name: nameCallerStatement, prepares: false };
  const services = { connections: owner, name: nameOwnerStatement, prepares: true };
  return {
    asCaller: (context, work) => transaction(callers, createCallerOpening(context, timeout), work),
    asOwner: (work, options) => transaction(services, createOwnerOpening(options), work),
    ping: () => ping(requests).catch((error: unknown) => repeatPing(requests, error)),
    close: async () => void (await Promise.all([requests.end(), owner.end()])),
  };
}

/** Every server derives the same password from the owner's, as the driver reads it: also from libpq's variable. */
export function deriveAuthenticatorPassword(ownerUrl: string): string {
  const password = new pg.Client({ connectionString: ownerUrl }).password ?? '';
  return createHmac('sha256', password).update('authenticator').digest('base64url');
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

const nameCallerStatement = createStatementNames();
const nameOwnerStatement = createStatementNames();

/** `prepares`: whether statements with parameters are prepared without being asked to. */
type Source = Readonly<{ connections: Connections; name: NameStatement; prepares: boolean }>;

function transaction<T>(
  { connections, name, prepares }: Source,
  opening: Opening,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return runTransaction(connections, opening, (run) =>
    work({
      query: (text, values, { prepare = prepares && values !== undefined, endsTransaction } = {}) =>
        run({ text, values: values?.map(encodeValue), name: prepare ? name(text) : undefined }, endsTransaction),
    }),
  );
}

const BEGIN_READING: Statement = { text: 'begin read only', name: 'begin_reading' };
const BEGIN_WRITING: Statement = { text: 'begin read write', name: 'begin_writing' };
const BEGIN: Statement = { text: 'begin', name: 'begin' };
const READ_ONLY = { transaction_read_only: 'on' };

function createOwnerOpening({ readOnly = false, retryable = false }: OwnerOptions = {}): Opening {
  if (readOnly) return { begin: () => [BEGIN_READING], inOnePacket: () => [setLocally(READ_ONLY)] };
  return { begin: () => [BEGIN], retryable };
}

/** Opens the transaction and sets everything the rest of it may look at, values as parameters. */
function createCallerOpening(context: CallerContext, defaultTimeoutMs: number): Opening {
  const settings: Record<string, string> = {
    role: context.role,
    search_path: (context.searchPath ?? ['public', 'extensions']).map((name) => pg.escapeIdentifier(name)).join(', '),
    statement_timeout: String(context.statementTimeoutMs ?? defaultTimeoutMs),
    'request.jwt.claims': encodeClaims(context.claims),
    'request.method': context.method,
    'request.path': context.path,
    'request.headers': JSON.stringify(context.headers),
    ...context.settings,
  };
  const { readOnly = false, dryRun = false } = context;
  if (!readOnly) return { begin: () => [BEGIN_WRITING, setLocally(settings)], dryRun };
  return {
    begin: () => [BEGIN_READING, setLocally(settings)],
    inOnePacket: () => [setLocally({ ...settings, ...READ_ONLY })],
  };
}

/** Verified tokens keep their claims (`cacheVerified`), so the text is made once for each token. */
const claimTexts = new WeakMap<CallerContext['claims'], string>();

function encodeClaims(claims: CallerContext['claims']): string {
  const known = claimTexts.get(claims);
  if (known !== undefined) return known;
  const text = JSON.stringify(claims);
  claimTexts.set(claims, text);
  return text;
}

/** By the names of the settings, which the services choose: a few in all. */
const settingTexts = new Map<string, string>();

/** One row with one number, because the values need not come back. */
function setLocally(settings: Readonly<Record<string, string>>): Statement {
  const names = Object.keys(settings);
  const key = names.join(' ');
  const text = settingTexts.get(key) ?? buildSettingText(names);
  settingTexts.set(key, text);
  return { text, values: Object.values(settings), name: nameOwnerStatement(text) };
}

function buildSettingText(names: readonly string[]): string {
  const set = names.map((name, at) => `set_config(${pg.escapeLiteral(name)}, $${at + 1}, true)`);
  return `select num_nulls(${set.join(', ')})`;
}
