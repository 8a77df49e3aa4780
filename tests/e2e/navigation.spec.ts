import type { Page } from '@playwright/test';
import { contribute } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { findings } from './findings.ts';
import { expectToast } from './toasts.ts';

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1440, height: 900 };

const bar = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });
/** The words of each way, without the count beside them. */
const labels = (page: Page) => bar(page).getByRole('link').locator('span.max-w-full');

/** Where each leads, for every role, is asked without a browser: navigation-parts.test.tsx. */
async function expectWays(page: Page, count: number): Promise<void> {
  const links = bar(page).getByRole('link');
  await expect(links).toHaveCount(count);
  for (const link of await links.all()) {
    const box = await link.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
  await expect(bar(page).locator('[aria-current]')).toHaveCount(1);
  await expect.poll(() => findings(page)).toEqual([]);
}

/** How many lines the words of a way take. */
async function expectWholeWords(page: Page): Promise<void> {
  for (const name of ['Administration', 'Neuer Beitrag', 'Meine Beiträge']) {
    const label = labels(page).filter({ hasText: name });
    const lines = await label.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect([name, lines]).toEqual([name, 1]);
  }
}

test('One bar of ways is in sight and covers nothing; each word is whole at 320 px (§2.3, WCAG 1.4.10)', async ({
  page,
  loginAs,
}) => {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('GoTrueClient')) warnings.push(message.text());
  });
  await page.setViewportSize(PHONE);
  await loginAs('admin');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Administration');
  await expectWays(page, 4);
  await expect(bar(page)).toBeInViewport({ ratio: 1 });
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  const [foot, ways] = [await page.getByRole('contentinfo').boundingBox(), await bar(page).boundingBox()];
  expect((ways?.y ?? 0) + (ways?.height ?? 0)).toBeLessThanOrEqual((foot?.y ?? 0) + 1);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectWholeWords(page);
  await page.setViewportSize({ width: 320, height: 225 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(bar(page)).not.toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.setViewportSize(DESK);
  await expectWays(page, 4);
  await bar(page)
    .getByRole('link', { name: /^Eingang/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Eingang');
  for (const path of ['/admin/benutzer', '/admin/eingang']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // The last to need the client.
    await expect(bar(page).getByRole('link', { name: /^Eingang/ })).toBeVisible();
  }
  expect(warnings, 'one client for the session of a page').toEqual([]);
  await page.evaluate(() => Reflect.set(globalThis, 'samePage', true));
  const ended = page.waitForResponse('**/auth/v1/logout**');
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await expect(page).toHaveURL('/login');
  await (await ended).finished();
  await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
  expect(await page.evaluate(() => Reflect.has(globalThis, 'samePage')), 'no iPhone: it stays in the page (§4)').toBe(
    true,
  );
});

test('Large letters leave each word of the bar whole on a phone (WCAG 1.4.4)', async ({ page, server, loginAs }) => {
  await contribute(server);
  await page.setViewportSize(PHONE);
  await loginAs('admin');
  await expectWays(page, 4);
  await expect(bar(page).getByText(/neue/)).toBeAttached();
  await page.addStyleTag({ content: 'html { font-size: 200% }' });
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    const broken = await labels(page).evaluateAll((words) =>
      words.flatMap((label) => {
        const range = document.createRange();
        range.selectNodeContents(label);
        return range.getClientRects().length > label.textContent.split(' ').length ? [label.textContent] : [];
      }),
    );
    expect(broken).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test('On a phone a flow keeps the lower edge for its own action, and a toast stands above the bar (§2.6)', async ({
  page,
  loginAs,
}) => {
  await page.setViewportSize(PHONE);
  await loginAs('firma_a', '/firma-a/voice-message');
  await expect(page.getByRole('button', { name: 'Weiter', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(bar(page)).toHaveCount(0);
  await page.setViewportSize(DESK);
  await expect(bar(page).getByRole('link', { name: 'Neuer Beitrag' })).toHaveAttribute('aria-current', 'true');

  await page.setViewportSize(PHONE);
  const lowerEdge = async (element: Element) => {
    await Promise.all(element.getAnimations().map(({ finished }) => finished));
    return element.getBoundingClientRect().bottom;
  };
  // A toast stays for 5 s: one that was missed is asked for again.
  await expect(async () => {
    await page.goto('/admin', { waitUntil: 'commit' });
    await expect(page).toHaveURL('/firma-a');
    await expectToast(page, 'Zugriff verweigert');
    const end = await page.locator('li[data-variant]').evaluate(lowerEdge, undefined, { timeout: 5_000 });
    await expect(bar(page)).toBeVisible();
    expect(end).toBeLessThanOrEqual((await bar(page).boundingBox())?.y ?? 0);
  }).toPass();
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    await expectWays(page, 3);
  }
});
