import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '#http/caller.ts';
import type { ProjectConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { CatalogCache } from './catalog/catalog-cache.ts';
import type { ConcurrencyLimit } from './concurrency.ts';
import { RestError } from './errors.ts';
import type { QueryString } from './grammar/query-string.ts';
import type { Format } from './request/media.ts';
import type { Preferences } from './request/preferences.ts';

export type RestDeps = Readonly<{
  database: Database;
  catalog: CatalogCache;
  api: ProjectConfig['api'];
  limit: ConcurrencyLimit;
  log: FastifyBaseLogger;
}>;

/** A request with its parsed head. */
export type RestRequest = Readonly<{
  method: string;
  /** As the database sees it: `/interviews`, `/rpc/statistics`. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  caller: Caller;
  /** Address of the caller, and the network it belongs to. */
  address: string | undefined;
  network: string;
  schema: string;
  /** The answer names the schema, because several are exposed or the request names one. */
  negotiated: boolean;
  query: QueryString;
  preferences: Preferences;
  format: Format;
  body: Buffer;
  /** Calls `then` once the answer is sent or its connection has ended. */
  afterAnswer: (then: () => void) => void;
}>;

export type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

/** Codes of a name that the catalogue does not have: it may have been read before the last migration. */
const STALE = new Set(['PGRST200', 'PGRST202', 'PGRST203', 'PGRST204', 'PGRST205', '42703', '42704']);

/** Plans with the known catalogue, and once more with one read again where a name is not found. */
export async function planWithCatalog<T>(cache: CatalogCache, plan: (catalog: Catalog) => T): Promise<T> {
  try {
    return plan(await cache.current());
  } catch (error) {
    if (!(error instanceof RestError) || !STALE.has(error.code)) throw error;
    return plan(await cache.reloaded());
  }
}
