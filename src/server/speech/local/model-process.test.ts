import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { ModelStore } from '../models/store.ts';
import { createModelProcess } from './model-process.ts';
import type { EngineProcess } from './process.ts';

afterEach(() => void vi.useRealTimers());

test('Starts no process before the idle one has given its memory back', async () => {
  vi.useFakeTimers();
  const killed = Promise.withResolvers<void>();
  const start = vi.fn(
    () =>
      ({
        load: async () => undefined,
        memoryBytes: () => 0,
        hasExited: () => false,
        kill: () => killed.promise,
      }) as unknown as EngineProcess,
  );
  const findInUse = vi.fn(async () => ({ name: 'a', path: 'a', bytes: 0, installedAt: '' }));
  const model = createModelProcess({
    models: { findInUse } as unknown as ModelStore,
    idleMs: 1,
    log: pino({ level: 'silent' }),
    engine: { isAvailable: () => true, start },
  });
  await model.get();
  model.release();
  vi.advanceTimersByTime(1);
  const next = model.get();
  await findInUse.mock.results[1]?.value;
  await Promise.resolve();
  expect(start).toHaveBeenCalledTimes(1);
  killed.resolve();
  await next;
  expect(start).toHaveBeenCalledTimes(2);
});
