import type { Page } from '@playwright/test';
import { expect } from './application.ts';
import { TABLE, VISITORS, type Outcome, type Visitor } from './route-table.ts';
import { test } from './visitors.ts';

/** What every step of a flow would hand on, so that no screen sends its visitor away for want of it. */
const STATE = { transcript: 'Du: Hallo', interviewId: 'local_1_a', uploadSuccess: true };
const QUERY = '?q=1#teil';

type Place = Readonly<{ path: string; rest: string; heading: string; state: unknown; saved: string | null }>;

// One test a visitor, though each visit is a case of its own: to begin and end a test takes longer than the visit.
for (const visitor of VISITORS) {
  test(`${visitor}: each of ${TABLE.length} places (§2.1)`, async ({ getSeat }) => {
    const { page } = await getSeat(visitor);
    for (const { path, outcome } of TABLE) {
      const expected = outcome(visitor);
      await visit(page, path);
      await expect.soft
        .poll(() => getPlace(page), {
          intervals: [20, 20, 40, 80, 160, 300],
          message: `${path}: ${describe(expected)}`,
        })
        .toMatchObject({
          path: 'to' in expected ? expected.to : path,
          heading: expect.stringMatching(expected.heading),
          ...getRest(visitor, path, expected),
        });
    }
  });
}

function describe(outcome: Outcome): string {
  return 'to' in outcome ? `${outcome.kind} to ${outcome.to}` : outcome.kind;
}

/**
 * Query, fragment and state stay for a visitor who is let in or forwarded; a login to come remembers the path.
 */
function getRest(visitor: Visitor, path: string, { kind }: Outcome): Partial<Place> {
  if (kind === 'allowed' || kind === 'forwarded') return { rest: QUERY, state: STATE };
  if (kind === 'redirected' && visitor === 'not logged in') return { saved: `${forwardedBefore(path)}${QUERY}` };
  return {};
}

/** D3 forwards everybody, so what is remembered is the place one was forwarded to. */
function forwardedBefore(path: string): string {
  if (path === '/modern-interview') return '/interview-category';
  return path === '/testnormec/content-selection' ? '/testnormec' : path;
}

/** As a link of the application would go there: a new history entry, with state. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(
    ({ url, state }) => {
      sessionStorage.clear();
      localStorage.removeItem('redirect_after_login');
      history.pushState(state, '', url);
    },
    { url: `${path}${QUERY}`, state: STATE },
  );
}

function getPlace(page: Page): Promise<Place> {
  return page.evaluate(() => ({
    path: location.pathname,
    rest: location.search + location.hash,
    heading: document.querySelector('h1')?.textContent ?? '',
    state: history.state as unknown,
    saved: localStorage.getItem('redirect_after_login'),
  }));
}

test.describe('§2.1 opened from outside, by address', () => {
  for (const visitor of VISITORS) {
    test(`${visitor}: one of each kind`, async ({ getSeat }) => {
      const { page } = await getSeat(visitor);
      const seen = new Set<string>();
      for (const { path, outcome } of TABLE) {
        const expected = outcome(visitor);
        if (seen.has(expected.kind) || path.includes('transcript-edit')) continue;
        seen.add(expected.kind);
        await page.goto(path);
        await expect(page).toHaveURL('to' in expected ? expected.to : path);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(expected.heading);
      }
      expect(seen.size).toBeGreaterThanOrEqual(3);
      await page.goto('/impressum');
    });
  }

  for (const visitor of ['firma_a', 'firma_b', 'testnormec', 'vdi_admin'] as const) {
    test(`${visitor} is told why /admin is closed: rule 5`, async ({ getSeat }) => {
      const { page } = await getSeat(visitor);
      await page.goto('/admin');
      const toast = page.getByRole('status').filter({ hasText: 'Zugriff verweigert' }).first();
      await expect(toast).toContainText('Sie haben keine Berechtigung für diesen Bereich.');
      await page.goto('/impressum');
    });
  }

  test('a visitor without a login is told so on the login screen: rule 2', async ({ getSeat }) => {
    const { page } = await getSeat('not logged in');
    await page.goto('/firma-a');
    await expect(page.getByText('Zugriff verweigert')).toBeVisible();
    await expect(
      page.getByText('Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.').first(),
    ).toBeVisible();
    await page.goto('/impressum');
  });
});

test('The not-found page leads home (§2.1)', async ({ getSeat }) => {
  const { page } = await getSeat('vdi_admin');
  await page.goto('/gibt-es-nicht');
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL('/');
  await page.goto('/impressum');
});
