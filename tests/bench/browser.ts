import { chromium, type BrowserContextOptions, type Locator, type Page } from '@playwright/test';
import { median } from '#tests/support/percentile.ts';
import { testBrowser } from '../../scripts/browser.ts';
import type { Subject } from './subject.ts';

const KIBIBYTE = 1024;
const VISITS = 7;

/** Kilobytes as gzip. */
type Weight = Readonly<{ scripts: number; all: number }>;

/** A slow line, so that what is fetched ahead weighs less; what has arrived of it all the same is counted too. */
const SLOW_LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 200 * KIBIBYTE,
  uploadThroughput: 100 * KIBIBYTE,
};

const WORDS_SHOWN = 'words shown';

function noteWords([words, mark]: readonly [string, string]): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector('#root')?.textContent?.includes(words) !== true) return;
    performance.mark(mark);
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true, characterData: true });
}

/** In a browser of its own. */
export async function withPage<T>(work: (page: Page) => Promise<T>, options: BrowserContextOptions = {}): Promise<T> {
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
  try {
    return await work(await browser.newPage(options));
  } finally {
    await browser.close();
  }
}

/**
 * Kilobytes that have come over a slow line (gzip) by the time the page shows these words: scripts and styles, and
 * everything with what they load. The page itself notes that time: on a busy machine a test hears of it much later.
 */
export async function weighPage(url: string, words: string): Promise<Weight> {
  const weigh = async (page: Page): Promise<Weight> => {
    await (await page.context().newCDPSession(page)).send('Network.emulateNetworkConditions', SLOW_LINE);
    await page.addInitScript(noteWords, [words, WORDS_SHOWN] as const);
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction((mark) => performance.getEntriesByName(mark).length > 0, WORDS_SHOWN);
    const loaded = await page.evaluate((mark) => {
      const { startTime: shown = 0 } = performance.getEntriesByName(mark)[0] ?? {};
      return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(
        (entry) => [
          entry.name,
          entry instanceof PerformanceResourceTiming && entry.responseEnd <= shown ? entry.encodedBodySize : 0,
        ],
      );
    }, WORDS_SHOWN);
    const sum = (wanted: RegExp): number =>
      loaded.reduce((total, [name, bytes]) => total + (wanted.test(String(name)) ? Number(bytes) : 0), 0) / KIBIBYTE;
    return { scripts: sum(/\.(js|css)(\?|$)/), all: sum(/./) };
  };
  return withPage(weigh, { extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
}

/** Median milliseconds from a visit until `shown` is there, for somebody who was there before. */
export async function timeVisits(page: Page, url: string, shown: Locator): Promise<number> {
  await page.goto(url);
  await shown.waitFor();
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const begun = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await shown.waitFor();
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Logged in as the first admin. */
export async function openDesk(page: Page, subject: Subject): Promise<void> {
  const { email, password } = subject.findAccount('admin');
  await page.goto(`${subject.url}/login`);
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/login');
}
