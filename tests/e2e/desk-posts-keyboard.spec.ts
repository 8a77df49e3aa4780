import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { must } from '#tests/support/desk-calls.ts';
import { unzip } from '#tests/support/unzip.ts';
import { expect, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';
import { expectAccessible, tabTo } from './findings.ts';
import { openReview } from './review.ts';

/** What desk-posts.spec.ts does with the pointer, on a phone and without one (posts). */
test.use({ apart: 'desk-posts-keyboard', viewport: { width: 360, height: 740 } });

const field = (page: Page) => page.getByLabel('Text', { exact: true });
const preview = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: /^So sieht es bei/ }) });
const badge = (page: Page, state: string) => page.getByText(state, { exact: true }).first();

/** Opens a menu and goes down to the choice. The menu moves its focus a moment after each key, so wait for each. */
async function choose(page: Page, button: string, choice: string): Promise<void> {
  await tabTo(page, 'button', button);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitemcheckbox', { name: choice })).toBeVisible();
  // Before an item has the focus, a key goes to the menu or nowhere.
  await expect(page.getByRole('menuitemcheckbox').and(page.locator(':focus'))).toHaveCount(1);
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

test('On a phone with the keyboard alone a post is written, copied, packed, sent, stopped and removed (posts)', async ({
  page,
  server,
}) => {
  const id = await richContribution(server);
  await toDesk(page, server, `/admin/eingang/${id}`);
  await tabTo(page, 'link', /^Posts/);
  await page.keyboard.press('Enter');
  await choose(page, 'Post anlegen', 'LinkedIn');
  await expect(page.getByRole('heading', { level: 2, name: 'LinkedIn', exact: true })).toBeVisible();
  await press(page, 'Aus dem Material beginnen');
  await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();
  await tabTo(page, 'textbox', 'Text');
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

  await choose(page, 'Weitere Aktionen', 'Stoppen');
  await expect(badge(page, 'Gestoppt')).toBeVisible();
  await choose(page, 'Weitere Aktionen', 'Wieder aufnehmen');
  await expect(badge(page, 'Entwurf')).toBeVisible();
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
  await choose(page, 'Weitere Aktionen', 'Entwurf löschen');
  await press(page, 'Entwurf löschen');
  await expect(page.getByRole('heading', { level: 2, name: 'Newsletter', exact: true })).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expectAccessible(page);
});

test('What closes before it has risen gives the focus back at once, and takes it again (WCAG 2.4.3)', async ({
  page,
  server,
}) => {
  const id = await richContribution(server);
  await toDesk(page, server, `/admin/eingang/${id}?ansicht=posts`);
  // As on a device that is slow to draw: the animation has not begun yet.
  await page.addStyleTag({ content: '[role="menu"], [role="alertdialog"] { animation-delay: 3600s !important }' });
  const inMenu = page.locator('[role="menuitemcheckbox"]:focus');
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
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('Each channel counts and shows a post its own way, on a phone (posts, channels)', async ({ page, server }) => {
  const id = await richContribution(server);
  await toDesk(page, server, `/admin/eingang/${id}?ansicht=posts`);
  const begun = `Die Prüfmaschine misst jedes Bauteil. ${'Sie steht in Halle 3. '.repeat(30)}`;
  const long = `${begun}#Messtechnik https://www.beispiel.test/ein/langer/pfad`;
  const characters = long.length;
  for (const [channel, counted, folds] of [
    ['LinkedIn', `${characters} von 3.000 Zeichen`, true],
    ['Instagram', `${characters} von 2.200 Zeichen`, true],
    ['Facebook', `${characters} von 63.206 Zeichen`, true],
    // An address weighs 23, whatever its length.
    ['X', / von 280 Zeichen · \d+ Zeichen zu viel/, false],
    ['Website', `${characters} von 20.000 Zeichen`, false],
    ['Newsletter', `${characters} von 5.000 Zeichen`, false],
  ] as const) {
    await page.getByRole('button', { name: 'Post anlegen' }).click();
    await page.getByRole('menuitemcheckbox', { name: channel, exact: true }).click();
    await expect(page.getByRole('heading', { level: 2, name: channel, exact: true })).toBeVisible();
    await field(page).fill(long);
    await expect(page.getByRole('list', { name: 'Zählung des Kanals' })).toContainText(counted);
    const more = preview(page).getByRole('button', { name: 'mehr' });
    await expect(more).toHaveCount(folds ? 1 : 0);
    if (folds) {
      await expect(preview(page)).not.toContainText('#Messtechnik');
      await more.click();
    }
    await expect(preview(page)).toContainText('#Messtechnik');
    await expect(preview(page).getByText('Dieser Kanal braucht ein Bild.')).toHaveCount(
      channel === 'Instagram' ? 1 : 0,
    );
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('A withdrawn post is taken down, its address changes, and the link goes out once more (posts)', async ({
  page,
  server,
}) => {
  const { admin, contribution, posts, key } = await openReview(server, ['linkedin']);
  const reader = server.client({ headers: { 'x-review-key': key } });
  const post = posts[0]?.id;
  await must(reader.rpc('review_answer', { post, version: 1, answer: 'approve' }));
  const url = 'https://www.linkedin.com/posts/1';
  await must(admin.rpc('desk_post_move', { id: post, version: 1, state: 'published', url }));
  await toDesk(page, server, `/admin/eingang/${contribution}?ansicht=posts`);
  await press(page, 'Adresse ändern');
  const dialog = page.getByRole('dialog', { name: 'Wo steht der Post?' });
  await tabTo(page, 'textbox', /^Adresse/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('javascript:alert(1)');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Das ist keine Adresse im Netz.')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('https://www.linkedin.com/posts/2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'https://www.linkedin.com/posts/2' })).toBeVisible();

  await must(reader.rpc('review_withdraw', { post, comment: 'Ich habe die Firma gewechselt.' }));
  await page.reload();
  await expect(page.getByText('Bitte aus dem Kanal nehmen')).toBeVisible();
  await expect(page.getByText('Ich habe die Firma gewechselt.')).toBeVisible();
  await expectAccessible(page);
  await choose(page, 'Weitere Aktionen', 'Aus dem Kanal genommen');
  await expect(badge(page, 'Gestoppt')).toBeVisible();
  await press(page, 'Link noch einmal senden');
  await expect(page.getByText('Neuer Link ist unterwegs', { exact: true })).toBeVisible();
});
