import { expect, test } from 'vitest';
import { createFakeDeps, createMemoryStore, VERSION, type Answer } from '#tests/support/storage-fakes.ts';
import { KeptFilesError, storeKey, StoreUnavailableError } from './stores/object-store.ts';
import {
  abandonVersion,
  beginVersion,
  claimVersion,
  createVersion,
  removeAllUnclaimed,
  removeLeftovers,
  removeUnclaimed,
} from './unclaimed-files.ts';

const MEDIA = { bucket: 'Media', prefix: '7/' };
const OTHER = 'cd000000-0000-4000-8000-000000000000';

function open(answer: Answer, overrides: Parameters<typeof createMemoryStore>[0] = {}) {
  const { store, files } = createMemoryStore(overrides);
  for (const version of [VERSION, OTHER]) files.set(storeKey(version), Buffer.from('x'));
  return { files, ...createFakeDeps({ answer, store }) };
}

/** Answers the versions that are due once. */
function due(...rows: readonly { version: string; used: boolean }[]): Answer {
  const left = [rows];
  return ({ sql }) => (/for update skip locked/.test(sql) ? (left.shift() ?? []) : []);
}

test('Registers a new version for a day before its bytes are written', async () => {
  const { deps, database } = open(() => []);
  const version = await createVersion(deps);
  expect(storeKey(version)).toBe(`${version.slice(0, 2)}/${version}`);
  expect(database.queries[0]?.values).toEqual([version, '24 hours']);
});

test('Begins a version without waiting for its registration, whose failure ends no process', async () => {
  const { deps, database } = open(() => new Error('connection lost'));
  const { version, registered } = beginVersion(deps);
  await expect(registered).rejects.toThrow('connection lost');
  expect(database.queries[0]?.values).toEqual([version, '24 hours']);
});

test('Refuses to claim a version that was removed meanwhile', async () => {
  const { database } = open(() => []);
  const claim = database.asOwner((tx) => claimVersion(tx, VERSION));
  await expect(claim).rejects.toMatchObject({ code: 'Aborted', message: 'The upload took too long' });
});

test('Removes files that are due, but none that an object uses', async () => {
  const { deps, files, database } = open(due({ version: VERSION, used: false }, { version: OTHER, used: true }));
  await removeUnclaimed(deps);
  expect([...files.keys()]).toEqual([storeKey(OTHER)]);
  expect(database.queries.at(-1)?.values).toEqual([[VERSION, OTHER]]);
});

test('Repeats until less than a full batch is due', async () => {
  const rows = Array.from({ length: 500 }, () => ({ version: VERSION, used: true }));
  const left = [rows, rows, rows.slice(1)];
  const { deps, database } = open(({ sql }) => (/skip locked/.test(sql) ? (left.shift() ?? []) : []));
  await removeUnclaimed(deps);
  expect(database.queries.filter(({ sql }) => sql.startsWith('delete')).length).toBe(3);
});

test('Keeps a file registered that the store did not remove', async () => {
  const remove = async (): Promise<void> => Promise.reject(new StoreUnavailableError());
  const { deps, database, warnings } = open(due({ version: VERSION, used: false }), { remove });
  await expect(removeUnclaimed(deps)).resolves.toBeUndefined();
  expect(database.queries.some(({ sql }) => sql.startsWith('delete'))).toBe(false);
  expect(warnings).toMatchObject([[{ cause: 'The store does not answer' }, 'unclaimed files not removed']]);
});

test('Throws where a file that is due must be gone and is not', async () => {
  const left: Answer = ({ sql }) => (sql.endsWith('limit 1 for update') ? [{}] : []);
  await expect(removeAllUnclaimed(open(left).deps, MEDIA)).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(removeAllUnclaimed(open(() => []).deps, MEDIA)).resolves.toBeUndefined();
});

test('Removes what can be removed, and tries a file that the store keeps in an hour', async () => {
  const remove = async (): Promise<void> => {
    throw new KeptFilesError(new Map([[storeKey(OTHER), 'EISDIR']]));
  };
  const rows = [VERSION, OTHER].map((version) => ({ version, used: false }));
  const { deps, database, warnings } = open(due(...rows), { remove });
  await removeUnclaimed(deps);
  const changed = database.queries.filter(({ sql }) => /^(update|delete)/.test(sql));
  expect(changed.map(({ sql, values }) => [sql.split(' ')[0], values])).toEqual([
    ['update', [[OTHER]]],
    ['delete', [[VERSION, OTHER]]],
  ]);
  expect(warnings).toMatchObject([[{ versions: [OTHER] }, 'unclaimed files not removed']]);
});

test('Logs which folder of an erasure the store keeps a file of, and why', async () => {
  const kept = new KeptFilesError(new Map([[storeKey(VERSION), 'EPERM']]));
  const rows: Answer = ({ sql }) => (/from storage\.objects where bucket_id/.test(sql) ? [{ version: VERSION }] : []);
  const { deps, warnings } = open(rows, { remove: () => Promise.reject(kept) });
  await expect(removeAllUnclaimed(deps, MEDIA)).rejects.toBe(kept);
  const cause = `The store did not remove ${storeKey(VERSION)},EPERM (1 in all)`;
  expect(warnings).toEqual([[{ prefix: '7/', cause }, 'files of an erasure not removed']]);
});

test('Abandons a version without throwing, even where the database does not answer', async () => {
  const { deps, warnings } = open(() => new Error('connection lost'));
  await expect(abandonVersion(deps, VERSION)).resolves.toBeUndefined();
  expect(warnings.map(([, event]) => event)).toEqual(['unfinished upload not removed', 'unclaimed files not removed']);
});

test.each([
  [true, 1],
  [false, 0],
])('Ends the uploads of an earlier process where this one owns the store: %s', async (exclusive, updates) => {
  const { deps, database } = open(() => [], { exclusive });
  await removeLeftovers(deps);
  const ended = database.queries.filter(({ sql }) => sql.endsWith('set removable_from = now()'));
  expect(ended).toHaveLength(updates);
});
