import { defineConfig } from 'vitest/config';
import { SlowFirst } from './tests/support/slow-first.ts';
import { STATE_MS, TEST_MS } from './tests/support/time-limits.ts';

// Whatever the shell says: React's tests do not work with its production build.
process.env['NODE_ENV'] = 'test';

const patience = { testTimeout: TEST_MS, hookTimeout: TEST_MS, expect: { poll: { timeout: STATE_MS } } } as const;

const LATE_IMMEDIATES = new URL('./tests/support/late-immediates.ts', import.meta.url).href;
const LATE_WORK = new URL('./tests/support/late-work.ts', import.meta.url).href;

/**
 * unit: pure code beside its subject · web: what needs a DOM (`.test.tsx`, `.dom.test.ts`) · wire, faults: the booted
 * application.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...patience,
          setupFiles: ['tests/support/patience.ts'],
          // Pure code is read once a worker.
          isolate: false,
          include: [
            'src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'tests/{support,catalogue,mutations,soak,bench}/**/*.test.ts',
          ],
          exclude: ['**/*.dom.test.ts'],
        },
      },
      {
        test: {
          name: 'web',
          ...patience,
          execArgv: process.env['LATE_IMMEDIATES_MS'] === undefined ? [] : ['--import', LATE_IMMEDIATES],
          // Node would get tus-js-client's half for servers.
          alias: { 'tus-js-client': 'tus-js-client/lib.es5/browser/index.js' },
          environment: './tests/support/page-environment.ts',
          // React is read once a worker; each file gets a new page (web-setup.ts) and reads the application's modules
          // again, with the packages that remember something of a page (decision 0349).
          isolate: false,
          server: { deps: { inline: [/user-event/, /@supabase/, /@tanstack\/(query-core|react-query)/] } },
          include: ['src/web/**/*.test.tsx', 'src/web/**/*.dom.test.ts'],
          setupFiles: ['tests/support/patience.ts', 'tests/support/web-setup.ts'],
        },
      },
      {
        test: {
          name: 'wire',
          include: ['tests/{wire,faults}/**/*.test.ts'],
          globalSetup: ['tests/support/cluster.ts'],
          ...patience,
          setupFiles: ['tests/support/patience.ts'],
          // Bodies of requests fill the memory outside of V8's heap and would have it collected every few seconds.
          execArgv: [
            '--no-memory-reducer',
            '--initial-old-space-size=512',
            '--min-semi-space-size=16',
            ...(process.env['LATE_WORK_MS'] === undefined ? [] : ['--import', LATE_WORK]),
          ],
          // Each reads and compiles all of the server: a third cost more than it filled (docs/test-runs.md).
          maxWorkers: 2,
          // Each file boots an application of its own and leaves nothing behind: the code itself is read once a worker.
          isolate: false,
        },
      },
    ],
  },
});
