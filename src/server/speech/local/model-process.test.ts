import { afterEach, expect, test, vi } from 'vitest';
import type { ModelStore } from '../models/store.ts';
import { createModelProcess } from './model-process.ts';
import type { EngineProcess } from './process.ts';

const started = vi.hoisted((): EngineProcess[] => []);
const killed = vi.hoisted(() => Promise.withResolvers<void>());
vi.mock('./native.ts', () => ({ isEngineAvailable: () => true }));
vi.mock('./process.ts', () => ({
  EngineExitError: Error,
  startEngineProcess: () => {
    const process = {
      load: async () => undefined,
      memoryBytes: () => 0,
      hasExited: () => false,
      kill: () => killed.promise,
    };
    started.push(process as unknown as EngineProcess);
    return process;
  },
}));
afterEach(() => void vi.useRealTimers());

test('Starts no process before the idle one has given its memory back', async () => {
  vi.useFakeTimers();
  const looked = vi.fn(async () => ({ name: 'a', path: 'a', bytes: 0, installedAt: '' }));
  const models = { findInUse: looked } as unknown as ModelStore;
  const model = createModelProcess({ models, idleMs: 1, log: { info: () => 0 } as never });
  await model.get();
  model.release();
  vi.advanceTimersByTime(1);
  const next = model.get();
  await vi.waitFor(() => expect(looked).toHaveBeenCalledTimes(2));
  await looked.mock.results[1]?.value;
  await Promise.resolve();
  expect(started).toHaveLength(1);
  killed.resolve();
  await next;
  expect(started).toHaveLength(2);
});
