import { expect, type Page } from '@playwright/test';

/** The recording has run for at least so many (1–9) seconds: a busy machine sees not every one of them. */
export async function expectRecorded(page: Page, seconds: number): Promise<void> {
  await expect(page.getByRole('timer', { name: 'Aufnahmedauer' })).toHaveText(
    new RegExp(`^00:(0[${seconds}-9]|[1-5]\\d)$`),
  );
}

/** What a person does on the voice-message screen, for at least so many (1–9) seconds. */
export async function record(page: Page, seconds = 2): Promise<void> {
  await page.getByRole('button', { name: 'Aufnahme starten' }).click();
  await expect(page.getByText('Aufnahme läuft')).toBeVisible();
  await expectRecorded(page, seconds);
  await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
  await expect(page.getByText('Aufnahme fertig')).toBeVisible();
}

/** Of recordings, in the page. */
export function countKeptPieces(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('voice-message');
    opening.addEventListener('error', () => reject(new Error('voice-message did not open')));
    opening.addEventListener('success', () => {
      const count = opening.result.transaction('chunks').objectStore('chunks').count();
      count.addEventListener('success', () => {
        opening.result.close();
        resolve(count.result);
      });
    });
  });
}

/** One pixel that really is a PNG. */
export const PICTURE = {
  name: 'werkstatt.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
} as const;

export async function leaveContact(page: Page): Promise<void> {
  await page.getByLabel('Vorname').fill('Ada');
  await page.getByLabel('Nachname').fill('Lovelace');
  await page.getByLabel('E-Mail').fill('ada@beispiel.test');
  await page.getByRole('button', { name: 'Content übermitteln' }).click();
}
