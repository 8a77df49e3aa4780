import { expect, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';

test('Desk: prints a contribution as text on white, without controls and players', async ({ page, server }) => {
  const id = await richContribution(server);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await toDesk(page, server, `/admin/eingang/${id}`);
  const main = page.getByRole('main');
  for (const heading of ['Transkript', 'Kontakt', 'Dateien']) {
    await expect(main.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  }
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const heading of ['Transkript', 'Kontakt', 'Dateien']) {
    await expect(main.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  }
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Ada Lovelace');
  const skip = page.getByRole('link', { name: 'Zum Inhalt springen' });
  for (const part of [
    skip,
    page.getByRole('combobox'),
    page.getByRole('button'),
    page.getByRole('banner'),
    page.getByRole('contentinfo'),
  ]) {
    await expect(part.filter({ visible: true })).toHaveCount(0);
  }
  await expect(main.getByRole('heading', { name: 'Verlauf' })).toBeHidden();
  const colours = await main.evaluate((element) => {
    const body = getComputedStyle(document.documentElement);
    return [body.backgroundColor, getComputedStyle(element).color];
  });
  expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  const pdf = await page.pdf({ path: 'test-results/contribution.pdf', preferCSSPageSize: true, format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});
