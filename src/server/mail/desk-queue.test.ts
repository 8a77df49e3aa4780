import { expect, test, vi } from 'vitest';
import { createDeskMailWorker } from './desk-queue.ts';

type DeskQueue = Parameters<typeof createDeskMailWorker>[0]['queue'];
type Watched = Partial<Pick<DeskQueue, 'open' | 'allowReceipts'>>;

/** A worker without mails whose pauses end when the test says so. */
function setUp(watched: Watched) {
  const pauses: number[] = [];
  let wake = (): void => undefined;
  const nothing = async (): Promise<undefined> => undefined;
  const claim = vi.fn(nothing);
  const queue = { remind: nothing, claim, open: async () => true, allowReceipts: nothing };
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const worker = createDeskMailWorker({
    queue: { ...queue, ...watched } as unknown as DeskQueue,
    mailer: { deliver: () => expect.unreachable() },
    team: [],
    pauseS: 60,
    reminderDays: [],
    receiptsPerDay: 3,
    compose: () => expect.unreachable(),
    log,
    later: (work, ms) => {
      pauses.push(ms);
      wake = work;
      return () => (wake = () => undefined);
    },
  });
  const round = async (start: () => void): Promise<void> => {
    start();
    await worker.idle();
  };
  return { pauses, claim, log, poke: () => round(worker.poke), wake: () => round(() => wake()) };
}

test('Begins once the backend has a desk, and says once that it has none', async () => {
  const open = vi
    .fn(async () => true)
    .mockResolvedValueOnce(false)
    .mockResolvedValueOnce(false);
  const { pauses, claim, log, poke, wake } = setUp({ open });
  await poke();
  await wake();
  expect([pauses, claim.mock.calls.length, log.info.mock.calls.length]).toEqual([[10_000, 20_000], 0, 1]);
  await wake();
  expect([open.mock.calls.length, claim.mock.calls.length]).toEqual([3, 1]);
});

test('Sets the number of receipts again where the backend did not take it at the start', async () => {
  const allowReceipts = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('away'));
  const { claim, poke, wake } = setUp({ allowReceipts });
  await poke();
  await wake();
  expect([allowReceipts.mock.calls, claim.mock.calls.length]).toEqual([[[3], [3]], 1]);
});
