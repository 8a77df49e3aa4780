import { expect, test } from './application.ts';
import { expectNoToast, expectToast } from './toasts.ts';

test('§9, D22 a swipe of more than 50 px closes it, a shorter one does not', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.goto('/voice-message');
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expectToast(page, 'Keine Aufnahme vorhanden');
  const box = await page
    .getByRole('region', { name: /^Meldungen/ })
    .getByRole('listitem')
    .boundingBox();
  const [x, y] = [(box?.x ?? 0) + 40, (box?.y ?? 0) + 20];
  for (const length of [40, 70]) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + length / 2, y, { steps: 4 });
    await page.mouse.move(x + length, y, { steps: 4 });
    await page.mouse.up();
    if (length === 40) await expectToast(page, 'Keine Aufnahme vorhanden');
  }
  await expectNoToast(page);
});

test('D22 one at a time: the second takes the place of the first', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.goto('/voice-message');
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expectToast(page, 'Keine Aufnahme vorhanden');
  await page.getByRole('button', { name: 'Aufnahme starten' }).click();
  await expectToast(page, 'Aufnahme gestartet');
  await expect(page.getByRole('region', { name: /^Meldungen/ }).getByRole('listitem')).toHaveCount(1);
});
