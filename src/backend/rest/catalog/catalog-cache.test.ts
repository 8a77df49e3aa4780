import { expect, test } from 'vitest';
import type { Database } from '../../database/index.ts';
import { createCatalogCache } from './catalog-cache.ts';

const EMPTY = JSON.stringify({ relations: [], foreignKeys: [], routines: [], types: [], views: [], keys: [] });

/** Counts how often the catalogue is read; fails while `broken` says so. */
function counting(): { database: Database; reads: () => number; broken: (is: boolean) => void } {
  let reads = 0;
  let failing = false;
  const database: Database = {
    asOwner: async (work) => {
      if (failing) throw new Error('no database');
      reads += 1;
      const result = { rows: [{ document: EMPTY }], command: '', rowCount: 1, oid: 0, fields: [] };
      return work({ query: () => Promise.resolve(result as never) });
    },
    asCaller: () => Promise.reject(new Error('not for the catalogue')),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { database, reads: () => reads, broken: (is) => void (failing = is) };
}

test('A flood of unknown names reads the catalogue twice at most (threat 11)', async () => {
  const { database, reads } = counting();
  const cache = createCatalogCache(database, ['public'], []);
  await cache.current();
  await Promise.all(Array.from({ length: 200 }, () => cache.reload()));
  expect(reads()).toBe(2);
  await cache.current();
  expect(reads()).toBe(2);
});

test('Answers PGRST002 while the database does not answer, and tries again at the next request', async () => {
  const { database, broken } = counting();
  const cache = createCatalogCache(database, ['public'], []);
  broken(true);
  await expect(cache.current()).rejects.toMatchObject({ code: 'PGRST002', status: 503 });
  broken(false);
  await expect(cache.current()).resolves.toBeDefined();
});

test('Keeps the known catalogue until a new one is read', async () => {
  const { database, broken } = counting();
  const cache = createCatalogCache(database, ['public'], []);
  const known = await cache.current();
  broken(true);
  cache.reloadInBackground();
  expect(await cache.current()).toBe(known);
});
