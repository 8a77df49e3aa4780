import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../database/index.ts';
import { noSchemaCache } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import { readCatalog } from './read-catalog.ts';

export type CatalogCache = Readonly<{
  /** Returns the known catalogue, which the first use reads. Throws PGRST002 where the database does not answer. */
  current: () => Promise<Catalog>;
  /** Reads the catalogue again, after this call: for a name that was not found. */
  reloaded: () => Promise<Catalog>;
  /** Reads the catalogue again in the background, because the database's answer contradicts it. */
  expire: () => void;
}>;

// Requests for unknown names must not turn into a flood of catalogue queries.
const PAUSE_MS = 100;

export function createCatalogCache(
  database: Database,
  schemas: readonly string[],
  extra: readonly string[],
): CatalogCache {
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
  function reloaded(): Promise<Catalog> {
    waiting ??= running.then(() => {
      waiting = undefined;
      const loading = load();
      running = loading.then(pause, pause);
      return loading;
    });
    return waiting;
  }

  return {
    current: async () => known ?? reloaded(),
    reloaded,
    expire: () => void reloaded().catch(() => undefined),
  };
}

async function pause(): Promise<void> {
  await wait(PAUSE_MS, undefined, { ref: false });
}
