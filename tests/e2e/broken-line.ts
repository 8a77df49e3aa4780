import { startCutProxy, type CutProxy } from '#tests/support/cut-proxy.ts';
import { test as base } from './interview.ts';

/** The application behind a line that the test breaks. */
export const test = base.extend<{ line: CutProxy }>({
  line: async ({ server }, provide) => {
    const line = await startCutProxy(server.url);
    await provide(line);
    await line.stop();
  },
  baseURL: async ({ line }, provide) => provide(line.url),
});
