import { expect, test, vi } from 'vitest';
import type { ModelStore } from '../models/store.ts';
import { createInstaller } from './installer.ts';

test('Installs nothing for a request that is under way at the stop', async () => {
  const install = vi.fn(async () => undefined);
  const onEnd = vi.fn();
  const installer = createInstaller({ install } as unknown as ModelStore, AbortSignal.abort(), onEnd);
  installer.start('a');
  await installer.cancel();
  expect(install).not.toHaveBeenCalled();
  expect(onEnd).toHaveBeenCalledWith('a', 'cancelled');
});
