import { TABLE, type Row, type Visitor } from '#tests/support/route-table.ts';
import type { Page } from '@playwright/test';
import { expect, test } from './application.ts';
import { readToasts } from './toasts.ts';

/** What every step of a flow would hand on. */
const STATE = { transcript: 'Du: Hallo', interviewId: 'local_1_a', uploadSuccess: true };
const QUERY = '?q=1#teil';

function rowOf(path: string): Row {
  const row = TABLE.find((candidate) => candidate.path === path);
  if (row === undefined) throw new Error(`${path} is not in the table`);
  return row;
}

/** By its address, as from a mail or a bookmark. */
async function openAddress(page: Page, visitor: Visitor, path: string): Promise<void> {
  const expected = rowOf(path).outcome(visitor);
  await page.goto(path);
  await expect(page).toHaveURL('to' in expected ? expected.to : path);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(expected.heading);
}

// Every place for every visitor is asked without a browser: every-route.test.ts and every-screen.test.tsx.
test('A guest at one place of each kind; a closed one says why, and is where the login leads (§2.1, rule 2)', async ({
  page,
}) => {
  await openAddress(page, 'not logged in', '/upload');
  await openAddress(page, 'not logged in', '/gibt-es-nicht');
  await openAddress(page, 'not logged in', '/modern-interview');
  await page.goto(`/firma-a${QUERY}`);
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Zugriff verweigert')).toBeVisible();
  await expect(page.getByText('Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.').first()).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('redirect_after_login'))).toBe(`/firma-a${QUERY}`);
});

test('A company at one place of each kind; query, fragment and state go along to the twin (§2.1, D2, rule 5)', async ({
  page,
  loginAs,
}) => {
  await loginAs('firma_a', '/firma-a/content-selection');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Was möchtest du einreichen?');
  await page.evaluate(([url, state]) => history.pushState(state, '', url), [`/voice-message${QUERY}`, STATE] as const);
  await expect(page).toHaveURL(`/firma-a/voice-message${QUERY}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sprachnachricht');
  expect(await page.evaluate(() => history.state as unknown)).toMatchObject(STATE);
  await openAddress(page, 'firma_a', '/gibt-es-nicht');
  const toasts = () => readToasts(page);
  await page.goto('/admin');
  await expect(page).toHaveURL('/firma-a');
  await expect
    .poll(toasts)
    .toContainEqual(expect.stringMatching(/Zugriff verweigert.*Sie haben keine Berechtigung für diesen Bereich\./));
});
