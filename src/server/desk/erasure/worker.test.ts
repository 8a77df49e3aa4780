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

function startWorker(steps: Steps, removeTraces = async (): Promise<void> => undefined) {
  const mails = { find: async () => [], read: async () => Buffer.alloc(0), remove: async () => undefined };
  const compaction = { schedule: async () => undefined, run: async () => undefined };
  const log = { info: vi.fn(), error: vi.fn() };
  return createWorker({
    steps,
    mails,
    compaction,
    log,
    service: () => {
      throw new Error('no file is to be removed');
    },
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

test('Gives no receipt where another server has claimed the erasure (threat 20)', async () => {
  const worker = startWorker({ ...createFakeSteps(), claim: async () => ({ claimed: null, open: 1 }) });
  expect(await worker.run(RECEIPT.id)).toBeUndefined();
  await worker.stop();
});
