import type { Page } from '@playwright/test';
import { getHome } from '#contract/areas.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { contribute } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { findings } from './findings.ts';
import { walkTo } from './flow.ts';
import { expectToast } from './toasts.ts';

test.use({ apart: 'navigation' });

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1440, height: 900 };

const bar = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });

/** Name, address and heading of each way, in its order. */
const WAYS: Readonly<Record<Role, readonly (readonly [string, string, RegExp])[]>> = {
  admin: [
    ['Administration', '/admin', /^Administration$/],
    ['Eingang', '/admin/eingang', /^Eingang$/],
    ['Neuer Beitrag', '/', /^Hallo /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
  vdi_admin: [
    ['Start', '/', /^Hallo /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
  firma_a: company('/firma-a'),
  firma_b: company('/firma-b'),
  testnormec: [
    ['Start', '/testnormec', /^Willkommen, /],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ],
};

function company(home: string) {
  return [
    ['Start', home, /^Willkommen, /],
    ['Neuer Beitrag', `${home}/content-selection`, /^Was möchtest du einreichen\?$/],
    ['Meine Beiträge', '/meine-beitraege', /^Meine Beiträge$/],
  ] as const;
}

for (const role of ROLES)
  test(`Leads ${role} everywhere, says where one is, and the logo leads home (§2.3)`, async ({ page, loginAs }) => {
    await loginAs(role);
    const home = WAYS[role][0]?.[1] ?? '';
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      await expect(bar(page).getByRole('link')).toHaveCount(WAYS[role].length);
      for (const [name, path, heading] of WAYS[role].toReversed()) {
        const link = bar(page).getByRole('link', { name: new RegExp(`^${name}`) });
        await link.click();
        await expect(page).toHaveURL(path);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
        await expect(bar(page).locator('[aria-current]')).toHaveCount(1);
        await expect(link).toHaveAttribute('aria-current', 'page');
        const box = await link.boundingBox();
        expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
      }
      await page.getByRole('link', { name: /^Konto von / }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Konto');
      await expect(page.getByRole('link', { name: /^Konto von / })).toHaveAttribute('aria-current', 'page');
      await page.getByRole('main').getByRole('link', { name: 'Zurück' }).click();
      await expect(page).toHaveURL(home);
      await page.getByRole('link', { name: /^Konto von / }).click();
      await page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
      await expect(page).toHaveURL(home);
      const title = page.getByRole('banner').getByRole('link', { name: 'Social-Media-Content-Assistent' });
      await expect(title).toHaveAttribute('href', '/');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect.poll(() => findings(page)).toEqual([]);
    }
  });

test('The start page of the generic area is the same under both of its addresses (§2.4, D5)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await expect(page).toHaveURL(getHome('vdi_admin'));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Hallo /);
  const content = await page.getByRole('main').textContent();
  await expect(bar(page).getByRole('link', { name: 'Start' })).toHaveAttribute('aria-current', 'page');
  await page.goto('/');
  await expect(page.getByRole('main')).toHaveText(content ?? '');
});

test('An administrator comes back from the start page of a company (§2.12)', async ({ page, loginAs }) => {
  await loginAs('admin');
  await page
    .getByRole('link', { name: /^Firma A/ })
    .first()
    .click();
  await expect(page).toHaveURL('/firma-a');
  await page.getByRole('main').getByRole('link', { name: 'Administration' }).click();
  await expect(page).toHaveURL('/admin');
});

test('Guests see no navigation, and none that leads to the login (D4)', async ({ page }) => {
  await page.goto('/datenschutz');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const path of ['/upload', '/thank-you', '/ausgangskorb', '/impressum', '/login']) {
    await walkTo(page, path);
    await expect(page).toHaveURL(path);
    await expect(bar(page)).toHaveCount(0);
  }
});

test('A guest who reads the Impressum comes back to the upload (D4, D8)', async ({ page }) => {
  await page.goto('/upload');
  await page.getByRole('link', { name: 'Impressum' }).click();
  await page.getByRole('link', { name: 'Zurück' }).click();
  await expect(page).toHaveURL('/upload');
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
    await page.goto('/admin');
    await expect(page).toHaveURL('/firma-a');
    await expectToast(page, 'Zugriff verweigert');
    const end = await page.locator('li[data-variant]').evaluate(lowerEdge, undefined, { timeout: 5_000 });
    await expect(bar(page)).toBeVisible();
    expect(end).toBeLessThanOrEqual((await bar(page).boundingBox())?.y ?? 0);
  }).toPass({ timeout: 60_000 });
});

test('Each word of the lower bar is whole at 320 px (WCAG 1.4.10)', async ({ page, loginAs }) => {
  await loginAs('admin');
  await page.setViewportSize({ width: 320, height: 640 });
  const labels = bar(page).getByRole('link').locator('span:not([aria-hidden], .sr-only)');
  for (const name of ['Administration', 'Neuer Beitrag', 'Meine Beiträge']) {
    const label = labels.filter({ hasText: name });
    const lines = await label.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect([name, lines]).toEqual([name, 1]);
  }
});

test('The bar covers nothing at the end of a page, and at 400 % it does not stay on the screen (WCAG 1.4.10)', async ({
  page,
  loginAs,
}) => {
  await page.setViewportSize(PHONE);
  await loginAs('admin');
  await expect(bar(page)).toBeInViewport({ ratio: 1 });
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  const [foot, ways] = [await page.getByRole('contentinfo').boundingBox(), await bar(page).boundingBox()];
  expect((ways?.y ?? 0) + (ways?.height ?? 0)).toBeLessThanOrEqual((foot?.y ?? 0) + 1);
  await page.setViewportSize({ width: 320, height: 225 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(bar(page)).not.toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test('Eingang counts the new contributions as the desk does, for administrators (§2.12)', async ({
  page,
  server,
  loginAs,
}) => {
  await loginAs('admin');
  const inbox = bar(page).getByRole('link', { name: /^Eingang/ });
  await expect(inbox).toHaveText('Eingang');
  await contribute(server, { email: 'ada@beispiel.test', origin: { area: 'generic', kind: 'voice_message' } });
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(inbox).toHaveAccessibleName(/1 neuer Beitrag/);
});
