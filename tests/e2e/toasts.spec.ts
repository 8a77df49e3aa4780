import type { Locator, Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { expect, installClock, test } from './application.ts';
import { getRows, toInbox } from './desk.ts';
import { expectNoToast, expectToast } from './toasts.ts';
import { expectRecorded } from './voice-message.ts';

type Box = Readonly<{ x: number; y: number; width: number; height: number }>;

/** Where it stands once it has come to rest, in one go: a toast stays for 5 s. */
function getPlace(one: Locator): Promise<Box> {
  return one.evaluate(async (element) => {
    await Promise.all(element.getAnimations({ subtree: true }).map(({ finished }) => finished));
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  });
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

test('On a phone it covers neither the heading nor the actions of a dialog (D22)', async ({ page, server }) => {
  const id = await contribute(server, { lastName: 'Weg', email: 'p@beispiel.test', transcript: 'tafelkreide' });
  await page.setViewportSize({ width: 360, height: 740 });
  await installClock(page);
  await toInbox(page, server, '?suche=tafelkreide');
  await expect(getRows(page)).toHaveCount(1);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
  await page.clock.fastForward(15_000);
  // Hidden from screen readers while a dialog is open; those hear the copy of it.
  await expect(page.locator('li[data-variant]')).toContainText('Ein Beitrag wurde gelöscht');
  await expectClear(page, dialog.getByRole('heading').first(), dialog.getByRole('button').last());
});

test('In a flow a message stands in the screen until it is solved or the step is taken, and no toast covers the work (§8)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/voice-message');
  const said = page.getByRole('main').locator('[data-variant]');
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expect(said).toContainText('Keine Aufnahme vorhanden');
  await expect(said).toBeInViewport({ ratio: 1 });
  await expectNoToast(page);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expect(said).toHaveCount(1);
  await page.route('**/v1/audio/transcriptions', (route) => route.abort());
  await page.getByRole('button', { name: 'Aufnahme starten' }).click();
  await expect(said).toHaveCount(0);
  await expectRecorded(page, 1);
  await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expect(said).toContainText('Transkriptionsfehler');
  await page.getByRole('button', { name: 'Ohne Transkript weiter' }).click();
  await page.getByRole('textbox', { name: 'Transkript' }).fill('Selbst geschrieben.');
  await expect(page.getByText('Transkriptionsfehler'), 'an error stays behind').toHaveCount(0);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bilder hinzufügen');
  await expect(said, 'goes with the step').toContainText('Erfolg');
  await expect(said).toBeInViewport({ ratio: 1 });
  await expectNoToast(page);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Transkript bearbeiten');
  await expect(said).toHaveCount(0);
});

test('F8 goes to it; a swipe of more than 50 px closes it, a shorter one does not (§9, D22)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/admin');
  await expectToast(page, 'Zugriff verweigert');
  await page.keyboard.press('F8');
  await expect(page.getByRole('region', { name: /^Meldungen/ }).getByRole('list')).toBeFocused();
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
    if (length === 40) await expectToast(page, 'Zugriff verweigert');
  }
  await expectNoToast(page);
});
