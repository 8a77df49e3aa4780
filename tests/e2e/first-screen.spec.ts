import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { expect, submitLogin, test } from './application.ts';
import { choose, currentId, getStored, PICTURE } from './files.ts';
import { expectToast } from './toasts.ts';

// A service worker would bring the files from its own store.
test.use({ serviceWorkers: 'block' });

const LATER = /\/assets\/(?:client|sending|schemas|keeping|toaster|dialog|thank-you|browser)-[\w-]+\.js$/;

/** The files that come after the first screen do not come until the returned function is called. */
async function loseLater(page: Page): Promise<() => Promise<void>> {
  await page.route(LATER, (route) => route.abort('connectionfailed'));
  return () => page.unroute(LATER);
}

const upload = (page: Page) => page.getByRole('button', { name: 'Hochladen', exact: true });

test.describe('Decision 0305: the line is lost right after the first screen', () => {
  test('§2.10 a guest chooses files all the same; they arrive once it is back, without a reload', async ({
    page,
    server,
  }) => {
    const comeBack = await loseLater(page);
    const sender = page.waitForRequest(/\/assets\/outbox-sender-/);
    await page.goto('/upload');
    await choose(page, PICTURE);
    await expect(page.getByText(PICTURE.name)).toBeVisible();
    // What shares these files has been asked for, too, and leaves no file behind that can never come.
    await sender;
    await page.waitForEvent('requestfailed', (request) => /\/assets\/client-/.test(request.url()));
    await upload(page).click();
    await expect(page.getByText('Upload fehlgeschlagen')).toBeVisible();
    await expect(page.getByText(PICTURE.name)).toBeVisible();
    await comeBack();
    await expect(page).toHaveURL('/thank-you');
    expect((await getStored(server.databaseUrl, await currentId(page))).media).toHaveLength(1);
  });

  test('§2.2 who logs in meanwhile is told, and the next press logs in without a reload', async ({
    page,
    server,
    context,
  }) => {
    const user = await createUser(server, { role: 'vdi_admin' });
    await page.goto('/login');
    await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
    const lost = ['sign-in', 'toaster'].map((part) =>
      page.waitForEvent('requestfailed', (request) => new RegExp(`/assets/${part}-.*js$`).test(request.url())),
    );
    await context.setOffline(true);
    await submitLogin(page, user);
    await Promise.all(lost);
    await expect(page.getByText('Bitte versuchen Sie es erneut.')).toBeVisible();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page).toHaveURL('/content-selection');
    await expectToast(page, 'Erfolgreich angemeldet');
  });
});
