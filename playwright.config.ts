import { defineConfig } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { testBrowser } from './scripts/browser.ts';
import { STATE_MS, TEST_MS } from './tests/support/time-limits.ts';

const browser = await testBrowser();
const MICROPHONE = fileURLToPath(new URL('./tests/fixtures/sprache.wav', import.meta.url));

/** A real browser against the really started application; each worker has a server and a database of its own. */
export default defineConfig({
  // Node reads TypeScript by itself: Playwright's compiler would take seven seconds of a clean clone's first run.
  build: { external: ['**'] },
  testDir: 'tests/e2e',
  // A folder of its own: Playwright empties it at the start, and the logs of other stages lie beside it.
  outputDir: 'test-results/browser',
  globalSetup: ['./tests/support/built-web.ts', './tests/support/cluster.ts'],
  fullyParallel: true,
  // A third cost more processor time than it filled (docs/test-runs.md).
  workers: 2,
  forbidOnly: true,
  // A second try would hide what a user meets at the first.
  retries: 0,
  timeout: TEST_MS,
  expect: { timeout: STATE_MS },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    browserName: 'chromium',
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
    trace: process.env['TRACE'] === 'true' ? 'retain-on-failure' : 'off',
    // What a service worker answers, `page.route` does not see; the offline tests allow it.
    serviceWorkers: 'block',
    viewport: { width: 360, height: 740 },
    permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
    launchOptions: {
      executablePath: browser.executablePath,
      // In another locale Chromium does not find files whose names have more than ASCII.
      env: { ...process.env, ...browser.env, LC_ALL: 'C.UTF-8' },
      args: [
        '--no-sandbox',
        // Machines for tests have no graphics card: emulating one costs more than drawing without.
        '--disable-gpu',
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-audio-capture=${MICROPHONE}`,
      ],
    },
  },
});
