import type { Page } from '@playwright/test';
import type { TestServer } from '#tests/support/boot.ts';
import { mailsIn, type ReadMail } from '#tests/support/outbox.ts';
import { expect } from './application.ts';

/** What the people of the loop of a post do, each in a browser of their own (posts). */

export const PUBLISHED_URL = 'https://www.linkedin.com/posts/pruefmaschine';
export const CHANNEL = 'LinkedIn';
type Installation = Pick<TestServer, 'url' | 'dataDir'>;

export async function expectOwnState(page: Page, state: string): Promise<void> {
  await page.goto('/meine-beitraege');
  const rows = page.getByRole('list', { name: 'Meine Beiträge' }).locator('> li');
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText(state);
}

export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
}

export async function writeFromMaterial(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Posts/ }).click();
  await page.getByRole('button', { name: 'Post anlegen' }).click();
  await page.getByRole('menuitem', { name: CHANNEL }).click();
  await page.getByRole('button', { name: 'Aus dem Material beginnen' }).click();
  await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Bild 1 (PNG) verwenden' }).press('Space');
  await page.getByLabel('Alternativtext von Bild 1 (PNG)').fill('Die Prüfmaschine');
  await save(page);
}

export async function sendForReview(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
  const dialog = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
  await dialog.getByRole('button', { name: '1 Post senden' }).click();
  await expect(dialog).toHaveCount(0);
}

/** The post, and then the contribution as a whole: that one tells the contributor. */
export async function publish(page: Page, id: number): Promise<void> {
  await page.getByRole('button', { name: 'Veröffentlicht' }).click();
  const post = page.getByRole('dialog', { name: 'Wo steht der Post?' });
  await post.getByLabel(/^Adresse/).fill(PUBLISHED_URL);
  await post.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(page.getByRole('link', { name: PUBLISHED_URL })).toBeVisible();
  await page.goto(`/admin/eingang/${id}`);
  await page.getByRole('button', { name: 'Status ändern' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Veröffentlicht' }).click();
  const whole = page.getByRole('dialog', { name: 'Veröffentlicht' });
  await whole.getByLabel(/^Link/).fill(PUBLISHED_URL);
  await whole.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(whole).toHaveCount(0);
}

/** The newest mail with the subject, once so many have been written. */
export async function mailAbout(server: Installation, subject: string, count: number): Promise<ReadMail> {
  const find = async () => (await mailsIn(server.dataDir)).filter((mail) => mail.subject === subject);
  await expect.poll(async () => (await find()).length).toBe(count);
  const newest = (await find()).at(-1);
  if (newest === undefined) throw new Error('no mail');
  return newest;
}

/** As the contributor follows it: to this server, with the key behind '#'. */
export async function linkInMail(server: Installation, id: number, count: number): Promise<string> {
  const { to, link } = await mailAbout(server, `Dein Beitrag ${id}: Passt das so?`, count);
  expect(to).toBe('ada@beispiel.test');
  const { origin, pathname, hash } = new URL(link);
  expect([origin, pathname]).toEqual([server.url, '/freigabe']);
  return `${pathname}${hash}`;
}
