import { chromium, type Locator, type Page } from '@playwright/test';
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

/** Scripts and styles that have come over the wire (gzip) by the moment a person can log in, or answer a review. */
export async function bundleRows(url: string): Promise<readonly Row[]> {
  const login = await weigh(`${url}/login`, (page) => page.getByLabel('E-Mail'));
  // A dead link shows its heading with the same scripts that a living one needs.
  const review = await weigh(`${url}/freigabe#k=${'x'.repeat(43)}`, (page) =>
    page.getByRole('heading', { name: 'Dieser Link gilt nicht mehr' }),
  );
  return [
    ceiling('scripts and styles until one can log in, gzip', login, 'kB', 110),
    ceiling('scripts and styles until one can answer a review, gzip', review, 'kB', 120),
  ];
}

async function weigh(address: string, findShown: (page: Page) => Locator): Promise<number> {
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
    await (await page.context().newCDPSession(page)).send('Network.emulateNetworkConditions', SLOW_LINE);
    await page.goto(address, { waitUntil: 'commit' });
    await findShown(page).waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry): entry is PerformanceResourceTiming => /\.(js|css)(\?|$)/.test(entry.name))
        .reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    );
    return bytes / KIBIBYTE;
  } finally {
    await browser.close();
  }
}
