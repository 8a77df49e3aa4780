import { chromium } from '@playwright/test';
import { testBrowser } from '../../scripts/browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const MOST_MS = 1_000;

/** From the visit to the rows on the screen, for somebody who is logged in and was here before. */
export async function deskScreenRow(subject: Subject): Promise<Row> {
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const { email, password } = subject.findAccount('admin');
    await page.goto(`${subject.url}/login`);
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.getByRole('link', { name: /^Eingang .*neue Beiträge$/ }).waitFor();
    const row = page.getByRole('list', { name: 'Beiträge' }).getByRole('listitem').first();
    await page.goto(`${subject.url}/admin/eingang`);
    await row.waitFor();
    const begun = performance.now();
    await page.goto(`${subject.url}/admin/eingang`, { waitUntil: 'commit' });
    await row.waitFor();
    return ceiling('the inbox screen with its rows at 100,000', performance.now() - begun, 'ms', MOST_MS);
  } finally {
    await browser.close();
  }
}
