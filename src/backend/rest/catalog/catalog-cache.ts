import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../database/index.ts';
import { noSchemaCache, RestError } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import { readCatalog } from './read-catalog.ts';

// Requests for unknown names must not turn into a flood of catalogue queries.
const PAUSE_MS = 100;

export function createCatalogCache(database: Database, schemas: readonly string[], extra: readonly string[]) {
  let known: Catalog | undefined;
  let waiting: Promise<Catalog> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  async function load(): Promise<Catalog> {
    try {
      known = await readCatalog(database, schemas, extra);
      return known;
    } catch (cause) {
      throw noSchemaCache(cause);
    }
  }

  /** Requests that arrive during a read share the next one. */
  function reload(): Promise<Catalog> {
    waiting ??= running.then(() => {
      waiting = undefined;
      const loading = load();
      running = loading.then(pause, pause);
      return loading;
    });
    return waiting;
  }

  return {
    /** Returns the known catalogue, which the first use reads. Throws PGRST002 where the database does not answer. */
    current: async (): Promise<Catalog> => known ?? reload(),
    /** Reads the catalogue again, after this call: for a name that was not found. */
    reload,
    /** Reads the catalogue again in the background, because the database's answer contradicts it. */
    reloadInBackground: (): void => void reload().catch(() => undefined),
  };
}

export type CatalogCache = ReturnType<typeof createCatalogCache>;

async function pause(): Promise<void> {
  await wait(PAUSE_MS, undefined, { ref: false });
}

/** Codes of a name that the catalogue does not have: it may have been read before the last migration. */
const STALE = new Set(['PGRST200', 'PGRST202', 'PGRST203', 'PGRST204', 'PGRST205', '42703', '42704']);

/** Plans with the known catalogue, and once more with one read again where a name is not found. */
export async function planWithCatalog<T>(cache: CatalogCache, plan: (catalog: Catalog) => T): Promise<T> {
  try {
    return plan(await cache.current());
  } catch (error) {
    if (!(error instanceof RestError) || !STALE.has(error.code)) throw error;
    return plan(await cache.reload());
  }
}
