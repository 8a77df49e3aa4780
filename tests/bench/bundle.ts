import { chromium } from '@playwright/test';
import { testBrowser } from '../../scripts/browser.ts';
import { ceiling, type Row } from './table.ts';

const KIBIBYTE = 1024;

/** A slow line, so that what is fetched ahead weighs less; what has arrived of it all the same is counted too. */
const SLOW_LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 200 * KIBIBYTE,
  uploadThroughput: 100 * KIBIBYTE,
};

/** Scripts and styles that have come over the wire (gzip) by the moment a person can log in. */
export async function bundleRow(url: string): Promise<Row> {
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
    await (await page.context().newCDPSession(page)).send('Network.emulateNetworkConditions', SLOW_LINE);
    await page.goto(`${url}/login`, { waitUntil: 'commit' });
    await page.getByLabel('E-Mail').waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry): entry is PerformanceResourceTiming => /\.(js|css)(\?|$)/.test(entry.name))
        .reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    );
    return ceiling('scripts and styles until one can log in, gzip', bytes / KIBIBYTE, 'kB', 110);
  } finally {
    await browser.close();
  }
}
