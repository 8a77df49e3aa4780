import { expect, test, vi } from 'vitest';
import type { Entry } from './entry.ts';
import type { OutboxStore } from './store.ts';
import { createPulse, type Locks, startWorker } from './worker.ts';

test('A worker whose lock is taken meanwhile asks again for what its round has left (§4)', async () => {
  // The browser refuses the request at once; the round itself goes on.
  const request = async (_name: string, _options: LockOptions, work: () => Promise<unknown>): Promise<never> => {
    void work();
    throw new DOMException('', 'AbortError');
  };
  const entry: Partial<Entry> = { id: 'a', row: { status: 'none' }, parts: [] };
  const store: Partial<OutboxStore> = { list: async () => [entry as Entry] };
  const reachable = vi.fn(async () => false);
  let again = (): void => undefined;
  const worker = startWorker(
    {
      store: store as OutboxStore,
      locks: { request } as unknown as Locks,
      pulse: createPulse(undefined),
      reachable,
      later: (call) => {
        again = call;
        return () => undefined;
      },
      now: Date.now,
      currentOwner: () => 'ada',
      clientFor: () => expect.unreachable(),
      changed: () => undefined,
      onProgress: () => undefined,
    },
    'ada',
  );
  worker.kick();
  await vi.waitFor(() => {
    again();
    expect(reachable.mock.calls.length).toBeGreaterThan(1);
  });
  worker.stop();
});
