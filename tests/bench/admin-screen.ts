import { chromium } from '@playwright/test';
import { testBrowser } from '../../scripts/browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const MOST_MS = 1_000;

/** From the visit to the figures on the screen, for somebody who is logged in and was here before. */
export async function adminScreenRow(subject: Subject): Promise<Row> {
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const { email, password } = subject.findAccount('admin');
    await page.goto(`${subject.url}/login`);
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    const figures = page.getByRole('link', { name: /Firma A .*Beiträge/ });
    await figures.waitFor();
    const begun = performance.now();
    await page.goto(`${subject.url}/admin`, { waitUntil: 'commit' });
    await figures.waitFor();
    return ceiling('the admin screen with its figures, same size', performance.now() - begun, 'ms', MOST_MS);
  } finally {
    await browser.close();
  }
}
