import type { Page } from '@playwright/test';
import { expect } from './application.ts';

export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Konto von / }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Konto');
}
