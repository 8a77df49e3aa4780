import type { BrowserContext, Page } from '@playwright/test';
import { expect } from './application.ts';

/** A service worker that is ready answers for this page only once it has claimed it. */
export async function untilControlled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}

export async function goOffline(page: Page, context: BrowserContext): Promise<void> {
  await untilControlled(page);
  await context.setOffline(true);
}
