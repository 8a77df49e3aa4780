import type { Environment } from 'vitest/runtime';

/** Where files with a DOM run: each file gets a page of its own in the same process (web-setup.ts). */
const environment: Environment = {
  name: 'page',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined }),
};

export default environment;
