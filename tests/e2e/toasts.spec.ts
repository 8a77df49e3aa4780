import type { Locator, Page } from '@playwright/test';
import { expect, test } from './application.ts';
import { enterScreen } from './flow.ts';
import { expectNoToast, expectToast } from './toasts.ts';
import { record } from './voice-message.ts';

type Box = Readonly<{ x: number; y: number; width: number; height: number }>;

/** Where it stands once it has come to rest. */
async function getPlace(one: Locator): Promise<Box> {
  await one.evaluate((element) =>
    Promise.all(element.getAnimations({ subtree: true }).map(({ finished }) => finished)).then(() => undefined),
  );
  const place = await one.boundingBox();
  if (place === null) throw new Error('it has no place');
  return place;
}

async function expectClear(page: Page, ...others: readonly Locator[]): Promise<void> {
  const toast = await getPlace(page.locator('li[data-variant]'));
  const view = page.viewportSize() ?? { width: 0, height: 0 };
  expect([
    toast.x >= 0,
    toast.y >= 0,
    toast.x + toast.width <= view.width,
    toast.y + toast.height <= view.height,
  ]).toEqual([true, true, true, true]);
  for (const other of others) {
    const { y, height } = await getPlace(other);
    expect(toast.y >= y + height || toast.y + toast.height <= y, `${await other.textContent()}`).toBe(true);
  }
}

test('D22 on a phone it covers neither heading nor actions, nor those of a dialog, whatever is there', async ({
  page,
  loginAs,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await loginAs('admin');
  await page.goto('/voice-message');
  const next = page.getByRole('button', { name: 'Weiter', exact: true });
  await next.click();
  await expectToast(page, 'Keine Aufnahme vorhanden');
  await expectClear(page, page.getByRole('heading', { level: 1 }), next);
  await expectNoToast(page);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/admin/benutzer');
  await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('E-Mail', { exact: true })).toBeFocused();
  await page.keyboard.type(`neu-${crypto.randomUUID()}@beispiel.test`);
  await dialog.getByLabel('Rolle').selectOption({ index: 1 });
  await dialog.getByRole('radio', { name: /^Passwort/ }).check();
  await dialog.getByRole('button', { name: /anlegen/ }).click();
  const noted = page.getByRole('dialog', { name: 'Passwort notieren' });
  await noted.getByRole('button', { name: 'Kopieren' }).click();
  // Hidden from screen readers while a dialog is open; those hear the copy of it.
  await expect(page.locator('li[data-variant]')).toContainText('In die Zwischenablage kopiert');
  await expectClear(page, noted.getByRole('heading'), noted.getByRole('button', { name: 'Fertig' }));
});

test('D22 on a phone it covers neither the actions at the end of a page nor the ways on after a failure', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/voice-message');
  await page.route('**/v1/audio/transcriptions', (route) => route.abort());
  await record(page, 1);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expectToast(page, 'Transkriptionsfehler');
  const without = page.getByRole('button', { name: 'Ohne Transkript weiter' });
  await expect(async () =>
    expectClear(page, page.getByRole('alert').getByText('Fehler bei der Transkription').first(), without),
  ).toPass();
  await without.click();
  await page.getByRole('textbox', { name: 'Transkript' }).fill('Selbst geschrieben.');
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bilder hinzufügen');
  await expectToast(page, 'Erfolg');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(async () => expectClear(page, page.getByRole('button', { name: 'Hochladen' }))).toPass();
});

test('D22 on a phone whatever a toast covers can be scrolled clear of it, and the end of the page stays where it is', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/voice-message');
  await page.route('**/v1/audio/transcriptions', (route) => route.abort());
  await record(page, 1);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expectToast(page, 'Transkriptionsfehler');
  const keep = page.getByRole('button', { name: 'Auf diesem Gerät sichern' });
  await page.evaluate(() => window.scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
  await expect(async () => expectClear(page, keep)).toPass();
  const before = await getPlace(keep);
  await expectNoToast(page);
  expect(await getPlace(keep)).toEqual(before);
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  const room = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--toast-room'));
  await expect.poll(room).toBe('0px');
});

test('D22 a toast that appears below the finger leaves a press that has begun its click', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.goto('/content-selection');
  await enterScreen(page, '/image-upload-after-voice', { interviewId: 'local_1', transcript: '' });
  const skip = page.getByRole('button', { name: 'Überspringen' });
  const next = page.getByRole('button', { name: 'Hochladen' });
  const { y, height } = await getPlace(skip);
  // As low as it can stand above the actions.
  await page.setViewportSize({ width: 360, height: Math.round(y + height + 2 * (await getPlace(next)).height) });
  const place = await getPlace(skip);
  const [x, middle] = [place.x + place.width / 2, place.y + place.height / 2];
  await page.mouse.move(x, middle);
  await page.mouse.down();
  const wrong = { name: 'notiz.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
  await page.locator('input[type=file]').first().setInputFiles(wrong);
  const toast = await getPlace(page.locator('li[data-variant]'));
  expect(toast.y < middle && middle < toast.y + toast.height, 'it lies over what is pressed').toBe(true);
  await page.mouse.up();
  await expect(page).toHaveURL('/thank-you');
});

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
  const next = page.getByRole('button', { name: 'Weiter', exact: true });
  await next.click();
  await expectToast(page, 'Keine Aufnahme vorhanden');
  await next.click();
  await expectToast(page, 'Keine Aufnahme vorhanden');
  await expect(page.getByRole('region', { name: /^Meldungen/ }).getByRole('listitem')).toHaveCount(1);
});
