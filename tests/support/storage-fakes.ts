import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DataStore } from '@tus/utils';
import fastify, { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { TokenError } from '#http/tokens.ts';
import type { CallerContext, Database, Tx } from '#backend/database/index.ts';
import type { Bucket } from '#backend/storage/bucket.ts';
import { DEFAULT_RULES, type StorageDeps, type StorageRules } from '#backend/storage/deps.ts';
import { storageService } from '#backend/storage/index.ts';
import type { StoredObject } from '#backend/storage/object.ts';
import type { PartialUploads } from '#backend/storage/resumable/partial-uploads.ts';
import { MissingFileError, type ObjectStore } from '#backend/storage/stores/object-store.ts';

export type Query = Readonly<{ sql: string; values: readonly unknown[]; context: CallerContext | undefined }>;

/** The rows of a query, or the error that it throws; undefined: no rows. */
export type Answer = (query: Query) => readonly object[] | Error | undefined;

/** A database that records its queries and answers them from a function. */
export function createFakeDatabase(answer: Answer = () => undefined): Database & Readonly<{ queries: Query[] }> {
  const queries: Query[] = [];
  const open = (context: CallerContext | undefined): Tx => ({
    query: async (sql, values = []) => {
      const query = { sql, values, context };
      queries.push(query);
      const given = /pg_try_advisory_xact_lock_shared/.test(sql) ? [{ free: true }] : answer(query);
      if (given instanceof Error) throw given;
      const rows = [...(given ?? [])] as never[];
      return { rows, rowCount: rows.length, command: '', oid: 0, fields: [] };
    },
  });
  return {
    queries,
    asCaller: (context, work) => work(open(context)),
    asOwner: (work) => work(open(undefined)),
    ping: async () => undefined,
    close: async () => undefined,
  };
}

export function createSqlError(code: string, message = 'secret_table'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
}

/** A store in memory; `overrides` replaces methods, e.g. to fail. */
export function createMemoryStore(overrides: Partial<ObjectStore> = {}) {
  const files = new Map<string, Buffer>();
  const read = (key: string): Buffer => {
    const file = files.get(key);
    if (file === undefined) throw new MissingFileError();
    return file;
  };
  const store: ObjectStore = {
    exclusive: true,
    requireSpace: async () => undefined,
    put: async (key, content) => {
      const bytes = await buffer(content);
      files.set(key, bytes);
      return { size: bytes.length, md5: createHash('md5').update(bytes).digest('hex') };
    },
    get: async (key, range) => {
      const file = read(key);
      return Readable.from([range === undefined ? file : file.subarray(range.start, range.end + 1)]);
    },
    copy: async (from, to) => void files.set(to, read(from)),
    remove: async (keys) => {
      for (const key of keys) files.delete(key);
    },
    ping: async () => undefined,
    close: async () => undefined,
    ...overrides,
  };
  return { store, files };
}

export const USER_ID = '00000000-0000-4000-8000-00000000000a';
export const USER = { authorization: 'Bearer user' };

/** `user` is a token of USER_ID, `service` the service key, any other bearer an expired token. */
export const KEYS: StorageDeps['keys'] = {
  publishableKey: 'public',
  secretKey: 'service',
  issuer: 'https://test',
  serverSecret: Buffer.alloc(32, 1),
  roleOfKey: (key) => ({ public: 'anon', service: 'service_role' })[key],
  verify: async (token) => {
    if (token === 'user') return { role: 'authenticated', sub: USER_ID };
    throw new TokenError('expired', 'expired');
  },
  sign: async () => '',
  published: () => [],
  refreshIfOlder: async () => undefined,
};

export function createBucket(changes: Partial<Bucket> = {}): Bucket {
  const at = new Date('2026-01-02T03:04:05.678Z');
  return {
    id: 'box',
    name: 'box',
    owner: null,
    public: false,
    file_size_limit: null,
    allowed_mime_types: null,
    type: 'STANDARD',
    created_at: at,
    updated_at: at,
    ...changes,
  };
}

export const VERSION = 'ab000000-0000-4000-8000-000000000000';

export function createObject(changes: Partial<StoredObject> = {}): StoredObject {
  const at = new Date('2026-01-02T03:04:05.678Z');
  return {
    id: 'cd000000-0000-4000-8000-000000000000',
    bucket_id: 'box',
    name: 'a.txt',
    owner: null,
    owner_id: null,
    version: VERSION,
    created_at: at,
    updated_at: at,
    last_accessed_at: at,
    metadata: { eTag: '"tag"', size: 10, mimetype: 'text/plain', cacheControl: 'max-age=60' },
    user_metadata: null,
    ...changes,
  };
}

const NO_PARTIALS: PartialUploads = {
  datastore: new DataStore(),
  toId: (version) => version,
  takesBodies: false,
  toVersion: (id) => id,
  publish: async () => undefined,
  forget: async () => undefined,
  remove: async () => undefined,
  removeUploadsTo: async () => undefined,
  removeExpired: async () => undefined,
  requireSpace: async () => undefined,
};

export type FakeOptions = Readonly<{
  answer?: Answer;
  store?: ObjectStore;
  rules?: Partial<StorageRules>;
  partials?: PartialUploads;
}>;

/** Everything that the service depends on. */
export function createFakeDeps({
  answer,
  store = createMemoryStore().store,
  rules,
  partials = NO_PARTIALS,
}: FakeOptions = {}) {
  const database = createFakeDatabase(answer);
  const warnings: unknown[][] = [];
  const app = fastify();
  const log: StorageDeps['log'] = Object.create(app.log);
  log.warn = (...line: unknown[]) => void warnings.push(line);
  const config = { storage: { enabled: true, file_size_limit: 1_000, buckets: {} } };
  const deps = {
    database,
    keys: KEYS,
    config: config as StorageDeps['config'],
    log,
    publicUrl: () => 'https://test',
    store,
    partials,
    rules: { ...DEFAULT_RULES, ...rules },
  } satisfies StorageDeps;
  return { app, deps, database, warnings };
}

/** The service at `/`, for `inject`. */
export async function openFakeService(
  options: FakeOptions = {},
): Promise<Readonly<{ app: FastifyInstance; queries: Query[]; warnings: readonly unknown[] }>> {
  let ready = false;
  const answer: Answer = (query) => (ready ? options.answer?.(query) : undefined);
  const { app, deps, database, warnings } = createFakeDeps({ ...options, answer });
  // A service left open sweeps ten minutes later, without end where every query is answered with a row.
  onTestFinished(() => app.close());
  await app.register(storageService(deps));
  await app.ready();
  ready = true;
  database.queries.length = 0;
  return { app, queries: database.queries, warnings };
}
