import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { unzip } from '#tests/support/unzip.ts';
import { expect, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';
import { expectAccessible, tabTo } from './findings.ts';

/** What desk-posts.spec.ts does with the pointer, on a phone and without one (posts). */
test.use({ apart: 'desk-posts-keyboard', viewport: { width: 360, height: 740 } });

const field = (page: Page) => page.getByLabel('Text', { exact: true });
const preview = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: /^So sieht es / }) });
const badge = (page: Page, state: string) => page.getByText(state, { exact: true }).first();

/** Opens a menu and goes down to the choice. The menu moves its focus a moment after each key, so wait for each. */
async function choose(page: Page, button: string, choice: string): Promise<void> {
  await tabTo(page, 'button', button);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: choice })).toBeVisible();
  // Before an item has the focus, a key goes to the menu or nowhere.
  await expect(page.getByRole('menuitem').and(page.locator(':focus'))).toHaveCount(1);
  const readFocused = () => page.evaluate(() => document.activeElement?.textContent);
  for (let at = await readFocused(); at !== choice; at = await readFocused()) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(readFocused).not.toBe(at);
  }
  await page.keyboard.press('Enter');
}

async function press(page: Page, button: string): Promise<void> {
  await tabTo(page, 'button', button);
  await page.keyboard.press('Enter');
}

test('With the keyboard alone, on a phone, a post is written, sent, stopped and removed (posts, WCAG 2.4.3)', async ({
  page,
  server,
}) => {
  test.slow();
  const id = await richContribution(server);
  await toDesk(page, server, `/admin/eingang/${id}`);
  await tabTo(page, 'link', /^Posts/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Post anlegen' })).toBeVisible();

  // What closes before it has risen gives the focus back at once, and takes it again. As on a device that is slow to
  // draw: the animation has not begun yet.
  const slow = await page.addStyleTag({
    content: '[role="menu"], [role="alertdialog"] { animation-delay: 3600s !important }',
  });
  const inMenu = page.locator('[role="menuitem"]:focus');
  for (let round = 0; round < 2; round += 1) {
    await press(page, 'Post anlegen');
    await expect(inMenu).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Post anlegen' })).toBeFocused();
  }
  await choose(page, 'Post anlegen', 'LinkedIn');
  await expect(page.getByRole('heading', { level: 2, name: 'LinkedIn', exact: true })).toBeVisible();
  await choose(page, 'Weitere Aktionen', 'Stoppen');
  await expect(badge(page, 'Gestoppt')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Weitere Aktionen' })).toBeFocused();
  await choose(page, 'Weitere Aktionen', 'Entwurf löschen');
  const question = page.getByRole('alertdialog');
  await expect(question.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await slow.evaluate((style) => style.parentNode?.removeChild(style));
  await choose(page, 'Weitere Aktionen', 'Wieder aufnehmen');
  await expect(badge(page, 'Entwurf')).toBeVisible();

  await press(page, 'Aus dem Material beginnen');
  await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();
  await tabTo(page, 'textbox', 'Text');
  await page.emulateMedia({ forcedColors: 'active' });
  // Else the system paints a ground behind its letters, over the marks that lie below them.
  await expect(page.locator(':focus')).toHaveCSS('forced-color-adjust', 'none');
  await page.emulateMedia({ forcedColors: 'none' });
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(' Sie steht in Halle 7.');
  await press(page, 'Halle 7 im Text zeigen');
  await expect(field(page)).toBeFocused();
  const selected = await field(page).evaluate((element: HTMLTextAreaElement) =>
    element.value.slice(element.selectionStart, element.selectionEnd),
  );
  expect(selected).toBe('7');
  await tabTo(page, 'checkbox', 'Bild 1 (PNG) verwenden');
  await page.keyboard.press('Space');
  await tabTo(page, 'textbox', 'Alternativtext von Bild 1 (PNG)');
  await page.keyboard.type('Die Halle');
  await press(page, 'Speichern');
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Speichern' })).toBeFocused();

  await press(page, 'Text kopieren');
  await expect(page.getByRole('button', { name: 'Kopiert', exact: true })).toBeFocused();
  const body = await field(page).inputValue();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(body);
  const download = page.waitForEvent('download');
  await press(page, 'Paket');
  const files = await unzip(await readFile(await (await download).path()));
  expect(files.get('text.txt')?.bytes.toString()).toBe(body);
  expect(files.get('alternativtexte.txt')?.bytes.toString()).toMatch(/^01_.*\.png\nDie Halle\n/);

  await press(page, 'Zur Freigabe senden');
  const dialog = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
  await expect(dialog).toContainText('Nicht im Material, bitte noch einmal ansehen:');
  await press(page, '1 Post senden');
  await expect(dialog).toHaveCount(0);
  await expect(badge(page, 'Zur Freigabe')).toBeVisible();
  await choose(page, 'Weitere Aktionen', 'Zurückholen');
  await expect(badge(page, 'Entwurf')).toBeVisible();

  await choose(page, 'Post anlegen', 'Newsletter');
  await expect(page.getByRole('heading', { level: 2, name: 'Newsletter', exact: true })).toBeVisible();
  const long = `${'Sie steht in Halle 3. '.repeat(30)}#Messtechnik https://www.beispiel.test/ein/langer/pfad`;
  await field(page).fill(long);
  await expect(preview(page)).toContainText('#Messtechnik');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await choose(page, 'Weitere Aktionen', 'Entwurf löschen');
  await press(page, 'Entwurf löschen');
  await expect(page.getByRole('heading', { level: 2, name: 'Newsletter', exact: true })).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expectAccessible(page);
});
