import type { Locator, Page } from '@playwright/test';
import { expect, openInterview, test, write } from './interview.ts';
import { expectToastsLoaded } from './toasts.ts';
import { expectRecorded } from './voice-message.ts';

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** As a keyboard user does: focuses a control and presses Enter. */
async function press(page: Page, name: string): Promise<void> {
  await button(page, name).focus();
  await page.keyboard.press('Enter');
}

test('The focus goes on through a recording: start, stop, new, keep, go on, discard (WCAG 2.4.3)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/voice-message');
  await press(page, 'Aufnahme starten');
  await expect(button(page, 'Aufnahme beenden')).toBeFocused();
  await expectRecorded(page, 1);
  await page.keyboard.press('Enter');
  await expect(button(page, 'Abspielen')).toBeFocused();
  await press(page, 'Neue Aufnahme');
  await expect(button(page, 'Aufnahme starten')).toBeFocused();
  await press(page, 'Vorherige behalten');
  await expect(button(page, 'Abspielen')).toBeFocused();
  await page.reload();
  await press(page, 'Damit weitermachen');
  await expect(button(page, 'Abspielen')).toBeFocused();
  await page.reload();
  await press(page, 'Verwerfen');
  await expect(button(page, 'Aufnahme starten')).toBeFocused();
});

test('The focus goes on through an interview: write instead, end, edit, discard (WCAG 2.4.3)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await openInterview(page);
  await press(page, 'Lieber schreiben statt sprechen');
  await expect(page.getByRole('textbox', { name: 'Antwort schreiben' })).toBeFocused();
  await write(page, 'Wir bauen eine Halle.');
  await press(page, 'Interview beenden');
  await expect(button(page, 'Weiter zum Bild-Upload')).toBeFocused();
  await press(page, 'Bearbeiten');
  await press(page, 'Verwerfen');
  await expect(button(page, 'Bearbeiten')).toBeFocused();
});

test('The focus goes on from the address to its code, before all is loaded (WCAG 2.4.3, 0399)', async ({ page }) => {
  const { promise: form, resolve } = Promise.withResolvers<void>();
  await page.route('**/assets/toaster-*.js', async (route) => {
    await form;
    await route.continue();
  });
  await page.goto('/anmeldung-code', { waitUntil: 'commit' });
  await page.getByRole('textbox').fill('niemand@beispiel.test');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: /^Code/ })).toBeFocused();
  resolve();
});

test('The focus goes on from an ended session (WCAG 2.4.3, 0399)', async ({ page, loginAs }) => {
  await loginAs('vdi_admin', '/konto');
  await expectToastsLoaded(page);
  // The test itself is logged in as well.
  await page.getByRole('button', { name: /abmelden, zuletzt/ }).press('Enter');
  await expect(page.getByText('Gerät abgemeldet')).toBeVisible();
  await expect(button(page, 'Überall abmelden')).toBeFocused();
});
