import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { expect, test, vi } from 'vitest';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import type { Steps } from './steps.ts';
import { createWorker } from './worker.ts';

const RECEIPT: ErasureReceipt = {
  id: 'b7f0',
  at: '2026-11-24T10:00:00Z',
  by: null,
  what: 'contribution',
  contributions: 1,
  files: 0,
  turns: 0,
  feedback: 0,
  events: 0,
  mails: 0,
  accounts: 0,
};

/** Steps of a database in which one erasure of nothing is recorded. */
function createFakeSteps(): Steps {
  let open = 1;
  const nothing = async (): Promise<undefined> => undefined;
  return {
    claim: async () => {
      const claimed = open > 0 ? { id: RECEIPT.id, email: null, account: null } : null;
      open = 0;
      return { claimed, open };
    },
    release: nothing,
    next: async () => null,
    letters: async () => [],
    begin: async () => [],
    removeRows: nothing,
    beginPerson: nothing,
    removePerson: nothing,
    forget: nothing,
    finish: async () => RECEIPT,
    lateUploads: async () => [],
    recentlyErased: async () => [],
    recordRetention: async () => RECEIPT.id,
    recordDailyRetention: async () => null,
  };
}

const createLog = () => ({ info: vi.fn(), error: vi.fn() });

type Watched = Readonly<{
  log?: ReturnType<typeof createLog>;
  compact?: () => Promise<void>;
  service?: () => SupabaseClient;
}>;

function refuse(): never {
  throw new Error('no file is to be removed');
}

function startWorker(
  steps: Steps,
  removeTraces = async (): Promise<void> => undefined,
  { log = createLog(), compact = async () => undefined, service = refuse }: Watched = {},
) {
  const mails = { find: async () => [], read: async () => Buffer.alloc(0), remove: async () => undefined };
  const compaction = { schedule: async () => undefined, run: compact };
  return createWorker({
    steps,
    mails,
    compaction,
    log,
    service,
    removeTraces,
    period: undefined,
    receiptTimeoutMs: 60_000,
  });
}

test('Gives the receipt of an erasure that a round took before it was asked for (threat 20)', async () => {
  const worker = startWorker(createFakeSteps());
  worker.start();
  expect(await worker.run(RECEIPT.id)).toEqual(RECEIPT);
  await worker.stop();
});

test('Looks for unfinished uploads again once nobody can begin one (threat 20)', async () => {
  const done: string[] = [];
  const contributions = [7];
  const steps: Steps = {
    ...createFakeSteps(),
    next: async () => contributions.pop() ?? null,
    removeRows: async () => void done.push('rows'),
  };
  const worker = startWorker(steps, async () => void done.push('traces'));
  expect(await worker.run(RECEIPT.id)).toEqual(RECEIPT);
  expect(done).toEqual(['traces', 'rows', 'traces']);
  await worker.stop();
});

test('Logs which contributions and account are erased, to erase them again after a restore (threat 20)', async () => {
  const contributions = [8, 7];
  const claimed = { id: RECEIPT.id, email: 'mira@beispiel.test', account: 'a1c50000-0000-4000-8000-000000000000' };
  const steps: Steps = {
    ...createFakeSteps(),
    claim: async () => ({ claimed, open: 1 }),
    next: async () => contributions.pop() ?? null,
  };
  const log = createLog();
  const fetch = async (): Promise<Response> => Response.json({});
  const service = (): SupabaseClient => createClient('http://localhost', 'key', { global: { fetch } });
  const worker = startWorker(steps, undefined, { log, service });
  expect(await worker.run(RECEIPT.id)).toEqual(RECEIPT);
  const { id: erasure } = RECEIPT;
  expect(log.info.mock.calls.slice(0, 3)).toEqual([
    [{ erasure, contribution: 7 }, 'desk: contribution erased'],
    [{ erasure, contribution: 8 }, 'desk: contribution erased'],
    [{ erasure, account: claimed.account }, 'desk: account erased'],
  ]);
  expect(JSON.stringify(log.info.mock.calls)).not.toContain('mira');
  await worker.stop();
});

test('Gives no receipt where another server has claimed the erasure (threat 20)', async () => {
  const worker = startWorker({ ...createFakeSteps(), claim: async () => ({ claimed: null, open: 1 }) });
  expect(await worker.run(RECEIPT.id)).toBeUndefined();
  await worker.stop();
});

/** Steps of a database with these erasures, of which those named `bad…` cannot succeed. */
function createTroubledSteps(erasures: readonly string[], done: string[]): Steps {
  const waiting = [...erasures];
  return {
    ...createFakeSteps(),
    claim: async () => {
      const id = waiting.shift();
      return { claimed: id === undefined ? null : { id, email: null, account: null }, open: erasures.length };
    },
    next: async (erasure) => (erasure.startsWith('bad') ? Promise.reject(new Error('refused')) : null),
    release: async (erasure) => void done.push(`released ${erasure}`),
    finish: async (erasure) => {
      done.push(`erased ${erasure}`);
      return RECEIPT;
    },
    recentlyErased: async () => {
      done.push('late arrivals');
      return [];
    },
  };
}

test('Goes on with the other erasures, late arrivals and the compaction after one has failed (threat 20)', async () => {
  const done: string[] = [];
  const log = createLog();
  const compact = async (): Promise<void> => void done.push('compacted');
  const worker = startWorker(createTroubledSteps(['bad', 'good'], done), undefined, { log, compact });
  worker.start();
  await expect.poll(() => done).toContain('compacted');
  expect(done).toEqual(['released bad', 'late arrivals', 'erased good', 'late arrivals', 'compacted']);
  expect(log.error.mock.calls).toEqual([
    [expect.objectContaining({ erasure: 'bad' }), 'desk: erasure incomplete, retrying'],
  ]);
  await worker.stop();
});

test('Logs which tables keep erased rows on the disk, and no erasure as incomplete (threat 20)', async () => {
  const log = createLog();
  const compact = async (): Promise<void> => {
    throw new Error('tables in use: public.interviews');
  };
  const worker = startWorker(createFakeSteps(), undefined, { log, compact });
  worker.start();
  await expect.poll(() => log.error.mock.calls.length).toBe(1);
  await worker.stop();
  const cause = 'tables in use: public.interviews';
  expect(log.error.mock.calls).toEqual(
    Array.from({ length: 2 }, () => [{ cause }, 'desk: erased rows are still on the disk, retrying']),
  );
});

test('Ends a round in which every erasure fails, for late arrivals and the compaction (threat 20)', async () => {
  const done: string[] = [];
  const compact = async (): Promise<void> => void done.push('compacted');
  const steps = createTroubledSteps([], done);
  const claim = async () => ({ claimed: { id: 'bad', email: null, account: null }, open: 1 });
  const recentlyErased = () => Promise.reject(new Error('the store is away'));
  const worker = startWorker({ ...steps, claim, recentlyErased }, undefined, { compact });
  worker.start();
  await expect.poll(() => done).toContain('compacted');
  await worker.stop();
});

test('Throws what an erasure failed with to the one who asks for it (threat 20)', async () => {
  const worker = startWorker(createTroubledSteps(['bad'], []));
  await expect(worker.run('bad')).rejects.toThrow('refused');
  await worker.stop();
});
