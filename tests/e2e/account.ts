import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { expect } from './application.ts';
import { picture } from './pictures.ts';
import { expectNotice } from './toasts.ts';

const STEP_MS = 30_000;
export const codeField = (page: Page) => page.getByRole('textbox', { name: /^Code/ });
export const logout = (page: Page) => page.getByRole('button', { name: 'Abmelden', exact: true }).first().click();

/** What the app behind this key shows. Each code counts once (decision 0062), so the next login takes the next one. */
export function shownBy(secret: string, ahead = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() + ahead * STEP_MS });
}

export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Konto von / }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Konto');
}

/** Sets an app up on the account's screen and returns its key. */
export async function setUpApp(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'App einrichten' });
  const qrCode = dialog.getByRole('img', { name: 'QR-Code für die Authentifizierungs-App' });
  await page.getByRole('button', { name: 'App einrichten' }).click();
  await expect(qrCode).toBeVisible();
  await dialog.getByRole('button', { name: 'Abbrechen' }).click();
  await page.getByRole('button', { name: 'App einrichten' }).click();
  await expect(qrCode, 'begun once more').toBeVisible();
  await picture(page, 'account-app');
  await expect(dialog.locator('[translate=no] code'), 'a translation would make another key of it').toBeVisible();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Code aus der App').fill('000000');
  await dialog.getByRole('button', { name: 'Bestätigen' }).click();
  await expect(dialog.getByText('Dieser Code stimmt nicht oder ist abgelaufen.')).toBeVisible();
  await dialog.getByLabel('Code aus der App').fill(shownBy(secret));
  await dialog.getByRole('button', { name: 'Bestätigen' }).click();
  await expectNotice(page, 'App eingerichtet');
  return secret;
}
