import type { Page } from '@playwright/test';
import { contribute } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { findings } from './findings.ts';

const STOPS = 120;

type Stop = Readonly<{ what: string; leads: string | null; name: boolean; outlined: boolean; seen: boolean }>;

/** What has the focus now; undefined at the end of the page. */
function readStop(page: Page): Promise<Stop | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return undefined;
    const { x, y, width, height } = element.getBoundingClientRect();
    const points = [0.1, 0.5, 0.9].flatMap((across) => [0.1, 0.5, 0.9].map((down) => [across, down] as const));
    const seen = points.some(([across, down]) => {
      const top = document.elementFromPoint(x + width * across, y + height * down);
      return top !== null && (element.contains(top) || top.contains(element));
    });
    let ring: Element | null = element;
    while (ring !== null && getComputedStyle(ring).outlineStyle === 'none') ring = ring.parentElement;
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    const words = [element.ariaLabel, element.textContent, element.title, ...labels.map((label) => label.textContent)];
    const named = words.some((text) => text?.trim()) || element.hasAttribute('aria-labelledby');
    const leads = element.getAttribute('href');
    return {
      what: element.outerHTML.slice(0, 120),
      leads,
      name: named || element.id !== '',
      outlined: ring !== null,
      seen,
    };
  });
}

/** From the address bar through the whole page and out of it again. */
async function walk(page: Page): Promise<readonly Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < STOPS) {
    await page.keyboard.press('Tab');
    const stop = await readStop(page);
    if (stop === undefined || (stops.length > 1 && stop.what === stops[0]?.what)) return stops;
    stops.push(stop);
  }
  throw new Error(`no way out: ${stops.at(-1)?.what ?? ''}`);
}

const PLACES = [
  '/konto',
  '/admin/benutzer',
  '/admin/eingang',
  '/upload',
  '/video-upload',
  '/thank-you',
  '/ausgangskorb',
];

test('With Tab alone each stop has a name and a ring, none lies under a bar, and the way leads out (WCAG 2.1.2, 2.4.7, 2.4.11)', async ({
  page,
  loginAs,
}) => {
  for (const path of ['/login', '/impressum', ...PLACES]) {
    if (path === PLACES[0]) await loginAs('admin');
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('region', { name: /^Meldungen/ }).getByRole('listitem')).toHaveCount(0);
    // A list that arrives moves what is below it, out of sight too.
    await expect(page.locator('main [aria-hidden].animate-breathe')).toHaveCount(0);
    const stops = await walk(page);
    expect(stops.length, path).toBeGreaterThan(4);
    await expect(page, 'nothing happens on focus (WCAG 3.2.1)').toHaveURL(path);
    const help = stops.slice(-2).map(({ leads }) => leads);
    expect(help, `${path}: help in one place (WCAG 3.2.6)`).toEqual(['/impressum', '/datenschutz']);
    expect(
      stops.filter(({ name, outlined, seen }) => !name || !outlined || !seen),
      path,
    ).toEqual([]);
  }
});

test('A count that arrives moves neither the link with the focus nor the current one out of view (WCAG 2.4.11)', async ({
  page,
  loginAs,
}) => {
  await loginAs('admin');
  for (const [path, name] of [
    ['/admin/eingang', 'Nach Status'],
    ['/admin/eingang/tafel', 'Spalte'],
  ] as const) {
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/rest\/v1\/rpc\//, (route) => held.promise.then(() => route.continue()));
    await page.goto(path);
    const links = page.getByRole('navigation', { name }).getByRole('link');
    const last = links.last();
    await last.focus();
    await expect(last, path).toBeInViewport({ ratio: 1 });
    await expect(last).not.toHaveText(/\d/);
    held.resolve(undefined);
    await expect(last).toHaveText(/\d/);
    await expect(last, path).toBeInViewport({ ratio: 1 });
    await page.unroute(/\/rest\/v1\/rpc\//);
    const address = await last.getAttribute('href');
    await page.goto(address ?? '');
    await expect(last).toHaveText(/\d/);
    await expect(last, 'the current one').toBeInViewport({ ratio: 1 });
  }
});

test('A list that arrives leaves the footer link with the focus in sight (WCAG 2.4.7)', async ({
  page,
  server,
  loginAs,
}) => {
  await loginAs('admin');
  for (let count = 0; count < 12; count += 1)
    await contribute(server, { origin: { area: 'generic', kind: 'voice_message' } });
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/rest\/v1\/rpc\/desk_inbox/, (route) => held.promise.then(() => route.continue()));
  await page.goto('/admin/eingang');
  const help = page.getByRole('contentinfo').getByRole('link', { name: 'Datenschutz' });
  await page.keyboard.press('Tab');
  await help.focus();
  await expect(help).toBeInViewport({ ratio: 1 });
  const before = await page.evaluate(() => document.documentElement.scrollHeight);
  held.resolve(undefined);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(before + 500);
  await expect(help).toBeFocused();
  await expect(help).toBeInViewport({ ratio: 1 });
});

test('Own colours of the system keep buttons, levels, choices and the place one is at (forced colours)', async ({
  page,
  loginAs,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/login');
  const submit = page.getByRole('button', { name: 'Anmelden', exact: true });
  await expect(submit).toBeVisible();
  const paper = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(await submit.evaluate((button) => getComputedStyle(button).backgroundColor)).not.toBe(paper);
  await loginAs('admin', '/admin/eingang/tafel');
  const here = page.getByRole('link', { name: 'Tafel', exact: true });
  await expect(here).toHaveCSS('text-decoration-line', 'underline');
  await expect(page.getByRole('link', { name: 'Liste', exact: true })).toHaveCSS('text-decoration-line', 'none');
  await here.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await expect(here).toHaveCSS('outline-style', 'solid');
});

const LISTS = ['/admin', '/admin/benutzer', '/admin/eingang', '/admin/eingang/tafel'];

test('axe finds nothing while a screen waits for what it shows, and where that fails', async ({ page, loginAs }) => {
  await loginAs('admin');
  let held = Promise.withResolvers<undefined>();
  await page.route(/\/(?:rest|auth)\/v1\/(?:rpc|admin)\/|\/v1\/accounts/, async (route) => {
    await held.promise;
    await route.fulfill({ status: 500, json: { message: 'Die Datenbank schläft', code: 'XX000' } });
  });
  for (const path of [...LISTS, '/meine-beitraege']) {
    held = Promise.withResolvers<undefined>();
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect.poll(() => findings(page), `${path} waits`).toEqual([]);
    held.resolve(undefined);
    await expect(
      page.getByRole('main').getByRole('button', { name: /versuchen|laden|Aktualisieren/i }),
    ).not.toHaveCount(0);
    await expect.poll(() => findings(page), `${path} failed`).toEqual([]);
  }
});
