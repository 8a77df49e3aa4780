import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { expect, submitLogin, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';
import { choose, PICTURE } from './files.ts';
import { leaveContact, record } from './voice-message.ts';

test.describe('on an iPhone', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
  });

  test("The admin's logout loads the page again (§4)", async ({ page, loginAs }) => {
    await loginAs('admin');
    await expect(page).toHaveURL('/admin');
    await page.evaluate(() => Reflect.set(globalThis, 'samePage', true));
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
    await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
    // Unlike `evaluate`, waitForFunction outlives the page it was asked on: a reload may come in between.
    await page.waitForFunction(() => !Reflect.has(globalThis, 'samePage'));
  });
});

/** Runs in the page before its own code: takes away what Safari 16.4 has not. */
function forgetNewer(): void {
  const newer: readonly (readonly [object, readonly string[]])[] = [
    [Promise, ['withResolvers', 'try']],
    [Map, ['groupBy']],
    [Object, ['groupBy']],
    [Array, ['fromAsync']],
    [URL, ['canParse', 'parse']],
    [AbortSignal, ['any']],
    [Element.prototype, ['checkVisibility']],
    [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [globalThis, ['Iterator', 'requestIdleCallback', 'cancelIdleCallback']],
  ];
  for (const [of, names] of newer) for (const name of names) Reflect.deleteProperty(of, name);
}

async function expectUntroubled(page: Page, walk: () => Promise<void>): Promise<void> {
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.addInitScript(forgetNewer);
  await walk();
  expect(errors).toEqual([]);
}

test('In a Safari of 2023 a voice message with a picture is handed in, and a saved path holds (§4, D7)', async ({
  page,
  server,
}) => {
  const user = await createUser(server, { role: 'vdi_admin' });
  await expectUntroubled(page, async () => {
    await page.goto('/voice-message');
    await submitLogin(page, user);
    await expect(page).toHaveURL('/voice-message');
    await record(page, 1);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await page.getByRole('textbox', { name: 'Transkript' }).fill('Am iPhone erzählt.');
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await choose(page, PICTURE);
    await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
    await leaveContact(page);
    await expect(page).toHaveURL('/');
  });
});

test('In a Safari of 2023 the desk shows a contribution with its conversation (desk.md)', async ({ page, server }) => {
  await expectUntroubled(page, async () => {
    await toDesk(page, server, `/admin/eingang/${await richContribution(server)}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ada Lovelace');
    await expect(page.getByText('Im Oktober')).toBeVisible();
  });
});
