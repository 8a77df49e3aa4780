import 'fake-indexeddb/auto';
import { beforeEach, expect, test } from 'vitest';
import { createChunkStore, type ChunkStore, type Liveness } from './chunk-store.ts';

const PLACE = { owner: 'anna', area: 'generic' };
const FORMAT = { mime: 'audio/webm;codecs=opus', extension: 'webm' } as const;
const DAY_MS = 86_400_000;

let held: Set<string>;
let now: number;
let name = 0;
let store: ChunkStore;

const liveness: Liveness = {
  hold: (id) => {
    held.add(id);
    return () => void held.delete(id);
  },
  held: async () => held,
  untilFree: () => Promise.reject(new Error('nobody waits here')),
};

/** Another start of the browser on the same device: earlier owners of a recording no longer run. */
function restarted(): ChunkStore {
  held = new Set();
  return createChunkStore({ liveness, now: () => now, name: `test-${name}` });
}

beforeEach(() => {
  now = 1_000 * DAY_MS;
  name += 1;
  store = restarted();
});

async function readText(blob: Blob | undefined): Promise<string> {
  return new TextDecoder().decode(await blob?.arrayBuffer());
}

test('Recovers when the browser is killed while recording: every chunk that had come is offered again', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await Promise.all([session.append(new Blob(['eins ']), 1.01), session.append(new Blob(['zwei ']), 2.02)]);
  await session.append(new Blob(['drei']), 3.03);
  store = restarted();
  const [found] = await store.unfinished('anna', 'generic');
  expect(found).toMatchObject({ ...PLACE, ...FORMAT, seconds: 3.03, bytes: 14, startedAt: now });
  const taken = await store.take(found?.id ?? '');
  expect(taken?.recording).toMatchObject({ seconds: 3.03, bytes: 14, extension: 'webm', mime: FORMAT.mime });
  expect(await readText(taken?.recording.blob)).toBe('eins zwei drei');
});

test('A recording belongs to one user and one area (§3)', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['x']), 1);
  session.leave();
  expect(await store.unfinished('anna', 'generic')).toHaveLength(1);
  expect(await store.unfinished('bernd', 'generic')).toHaveLength(0);
  expect(await store.unfinished('anna', 'testnormec')).toHaveLength(0);
});

test('a recording that is running, here or in another tab, is not offered', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['x']), 1);
  expect(await store.unfinished('anna', 'generic')).toHaveLength(0);
  session.leave();
  expect(await store.unfinished('anna', 'generic')).toHaveLength(1);
});

test('what was taken up is held, and nothing empty is offered', async () => {
  const empty = await store.begin({ ...PLACE, ...FORMAT });
  empty.leave();
  expect(await store.unfinished('anna', 'generic')).toHaveLength(0);
  expect(await store.take(empty.id)).toBeUndefined();
  expect(await store.take('unknown')).toBeUndefined();
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['x']), 1);
  session.leave();
  await store.take(session.id);
  expect(await store.unfinished('anna', 'generic')).toHaveLength(0);
});

test('Discarding leaves nothing behind, chunks on their way included (§4)', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['x']), 1);
  const late = session.append(new Blob(['y']), 2);
  await session.discard();
  await late;
  store = restarted();
  expect(await store.unfinished('anna', 'generic')).toHaveLength(0);
  expect(await store.take(session.id)).toBeUndefined();
});

test('the newest comes first; after seven days nothing is left of a recording', async () => {
  const old = await store.begin({ ...PLACE, ...FORMAT });
  await old.append(new Blob(['old']), 1);
  now += 6 * DAY_MS;
  const newer = await store.begin({ ...PLACE, ...FORMAT });
  await newer.append(new Blob(['fresh']), 1);
  store = restarted();
  expect((await store.unfinished('anna', 'generic')).map(({ id }) => id)).toEqual([newer.id, old.id]);
  now += 2 * DAY_MS;
  expect((await store.unfinished('anna', 'generic')).map(({ id }) => id)).toEqual([newer.id]);
  expect(await store.take(old.id)).toBeUndefined();
});

test('A running recording stays, however old the clock makes it', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['eins ']), 1);
  now += 8 * DAY_MS;
  expect(await store.unfinished('anna', 'generic')).toEqual([]);
  await session.append(new Blob(['zwei']), 2);
  expect(await readText((await store.take(session.id))?.recording.blob)).toBe('eins zwei');
});

test('What is left in the middle of a write is offered once it is written, so that discarding it leaves nothing', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['eins ']), 1);
  const { promise: content, resolve } = Promise.withResolvers<ArrayBuffer>();
  const late = session.append({ arrayBuffer: () => content } as Blob, 2);
  session.leave();
  expect(await store.unfinished('anna', 'generic')).toEqual([]);
  resolve(new TextEncoder().encode('zwei').buffer);
  await late;
  expect(await store.unfinished('anna', 'generic')).toMatchObject([{ bytes: 9 }]);
});

test('a chunk that cannot be read ends the storing, so that no gap comes to be', async () => {
  const session = await store.begin({ ...PLACE, ...FORMAT });
  await session.append(new Blob(['eins']), 1);
  const broken = { arrayBuffer: () => Promise.reject(new Error('gone')) } as Blob;
  await expect(session.append(broken, 2)).rejects.toThrow('gone');
  await expect(session.append(new Blob(['drei']), 3)).rejects.toThrow('gone');
  session.leave();
  expect(await readText((await store.take(session.id))?.recording.blob)).toBe('eins');
});
