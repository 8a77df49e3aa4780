import { defineConfig } from 'vitest/config';

/** unit: pure code beside its subject · web: the same with a DOM · wire, faults: the booted application. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/{contract,http,backend,server}/**/*.test.ts',
            'scripts/**/*.test.ts',
            'tests/{support,catalogue}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'web',
          // Node would get tus-js-client's half for servers.
          alias: { 'tus-js-client': 'tus-js-client/lib.es5/browser/index.js' },
          environment: 'jsdom',
          include: ['src/web/**/*.test.{ts,tsx}'],
          setupFiles: ['tests/support/web-setup.ts'],
        },
      },
      {
        test: {
          name: 'wire',
          include: ['tests/{wire,faults}/**/*.test.ts'],
          globalSetup: ['tests/support/cluster.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
