import type { Page } from '@playwright/test';
import { expect } from './application.ts';

/** Whether the pictures of docs/screens are to be taken; `npm run screens` sets it and puts them together. */
export const PICTURES = process.env['SCREENSHOTS'] === '1';

/** Where the single pictures lie until they are put together. */
export const TAKEN = 'test-results/pictures';

export const WIDTHS = [
  [360, 740],
  [1440, 900],
] as const;

/**
 * For screens that a test of its own leads to: on phone and desk, in light and dark. The page is as before afterwards.
 */
export async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  // Over a dialog the message cannot be closed.
  const messages = page.getByRole('region', { name: /^Meldungen/, includeHidden: true });
  await expect(messages.getByRole('listitem', { includeHidden: true })).toHaveCount(0);
  const before = page.viewportSize() ?? { width: 360, height: 740 };
  for (const [width, height] of WIDTHS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: 'light' });
    await take(page, `${name}-${width}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await take(page, `${name}-dark-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
}

/**
 * Without a message over it and without a pointer on it, once every change of colour has come to its end: two pictures
 * alike.
 */
export async function take(page: Page, name: string): Promise<void> {
  const close = page.getByRole('button', { name: 'Meldung schließen' });
  // It may go by itself right now.
  if (await close.isVisible()) await close.click({ timeout: 1_000 }).catch(() => undefined);
  await expect(close).toHaveCount(0);
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await expect(page.getByText(/^Lade /)).toHaveCount(0);
  // A level meter never rests: then the tenth picture has to do.
  for (let before = '', tries = 0; tries < 10; tries += 1) {
    const picture = (await page.screenshot({ path: `${TAKEN}/${name}.png` })).toString('base64');
    if (picture === before) return;
    before = picture;
  }
}
