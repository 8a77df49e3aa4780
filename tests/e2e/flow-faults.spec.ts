import type { Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, submitLogin, test } from './application.ts';
import { choose, REPORT } from './files.ts';
import { BACKEND, enterScreen, loseAnswers, getStored, walkTo } from './flow.ts';
import { expectToast } from './toasts.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

const editor = (page: Page) => page.getByRole('textbox', { name: 'Transkript' });
const next = (page: Page) => page.getByRole('button', { name: 'Weiter', exact: true });
const toImages = (page: Page) => page.getByRole('button', { name: 'Weiter zum Bild-Upload' });
/** The later screens of which the browser has every file already: those open without a network. */
const fetchedAhead = (page: Page) =>
  page.evaluate(() => {
    const loaded = new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
    return ['image-upload-after-voice', 'thank-you', 'transcript-edit'].filter((part) => {
      const files = document.querySelector<HTMLMetaElement>(`meta[name="part:${part}"]`)?.content.split(' ');
      return files?.every((file) => loaded.has(file));
    });
  });
const upload = (page: Page) => page.getByRole('button', { name: 'Hochladen', exact: true });

test.describe('the connection is lost', () => {
  test('for good, while recording: every screen is there, nothing is lost, and the step is repeated (§4)', async ({
    page,
    context,
    loginAs,
  }) => {
    await loginAs('vdi_admin', '/voice-message');
    await expect(page.getByRole('button', { name: 'Aufnahme starten' })).toBeVisible();
    await expect.poll(() => fetchedAhead(page)).toEqual(['image-upload-after-voice', 'thank-you', 'transcript-edit']);
    await context.setOffline(true);
    await enterScreen(page, '/transcript-edit', { transcript: 'Du: Hallo', interviewId: 'local_1_a' });
    await toImages(page).click();
    await expectToast(page, 'Transkript gespeichert');
    await page.getByRole('button', { name: 'Überspringen' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vielen Dank für deinen Beitrag!');

    await walkTo(page, '/voice-message');
    await record(page, 1);
    await next(page).click();
    await expectToast(page, 'Transkriptionsfehler');
    await expect(page.getByText('Fehler bei der Transkription')).toBeVisible();
    await expect(
      page.getByRole('main').getByText('Es besteht keine Verbindung. Prüfe dein Netz und versuche es noch einmal.'),
    ).toBeVisible();
    // On a phone it is below what one sees: it comes to where the eye is.
    await expect(page.getByRole('button', { name: 'Ohne Transkript weiter' })).toBeInViewport({ ratio: 1 });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Erneut versuchen' }).click();
    await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
  });

  test('before everything has come: the recording goes on', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await page.route(/assets\/(outbox-sender|update-notice)-/, (route) => route.abort());
    const missed = ['outbox-sender', 'update-notice'].map((part) =>
      page.waitForEvent('requestfailed', (request) => request.url().includes(part)),
    );
    await page.goto('/voice-message');
    await Promise.all(missed);
    await record(page, 1);
    await next(page).click();
    await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
  });
});

test('lost answers at every step, and each button ten times at once: one row, one object of each (§4)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin', '/voice-message');
  const lost = [
    await loseAnswers(page, '**/rest/v1/interviews**', 'POST'),
    await loseAnswers(page, '**/rest/v1/interviews**', 'PATCH'),
    await loseAnswers(page, '**/storage/v1/object/**', 'POST', 2),
    await loseAnswers(page, '**/rest/v1/media_uploads**', 'POST'),
  ];
  await record(page, 1);
  await clickTenTimes(next(page));
  await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
  await clickTenTimes(toImages(page));
  await expect(page).toHaveURL('/image-upload-after-voice');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await loseAnswers(page, '**/storage/v1/object/**', 'POST');
  await clickTenTimes(upload(page));
  await expect(page).toHaveURL('/thank-you');
  await loseAnswers(page, '**/rest/v1/interviews**', 'PATCH');
  await page.getByLabel('Vorname').fill('Ada');
  await page.getByLabel('Nachname').fill('Lovelace');
  await page.getByLabel('E-Mail').fill('ada@beispiel.test');
  await clickTenTimes(page.getByRole('button', { name: 'Content übermitteln' }));
  await expect(page).toHaveURL('/');
  expect(lost.map((count) => count())).toEqual([1, 1, 2, 1]);
  const { interviews, media, objects } = await getStored(server, user);
  expect(interviews).toMatchObject([{ transcript: SPOKEN_TEXT, contact_email: 'ada@beispiel.test' }]);
  expect(media.map((row) => row.file_type)).toEqual(['text/plain', 'image/png']);
  expect(objects).toEqual(media.map((row) => row.file_path).toSorted());
});

async function clickTenTimes(button: ReturnType<Page['getByRole']>): Promise<void> {
  await button.evaluate((element) => {
    for (let count = 0; count < 10; count += 1) (element as HTMLElement).click();
  });
}

test('The token expires in the middle: unnoticed, or log in again, and the recording and the text are still there (§4)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  const again = async (): Promise<void> => {
    await expect(page).toHaveURL('/login');
    await submitLogin(page, user);
  };
  const endSession = async (): Promise<void> => {
    await asOwner(server.databaseUrl, (client) =>
      client.query('delete from auth.sessions where user_id = $1', [user.id]),
    );
    await expireToken(page);
  };
  const known = page.waitForResponse('**/rest/v1/user_roles**');
  await page.goto('/voice-message');
  await record(page, 1);
  await known;
  await endSession();
  await next(page).click();
  await again();
  await expect(page).toHaveURL('/voice-message');
  await page.getByRole('button', { name: 'Damit weitermachen' }).click();
  await next(page).click();
  await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
  await editor(page).fill('Geändert, dann abgelaufen');
  await endSession();
  await page.reload();
  await again();
  await expect(page).toHaveURL('/transcript-edit');
  await expect(editor(page)).toHaveValue('Geändert, dann abgelaufen');
  const renewed = page.waitForResponse((response) => response.url().includes('grant_type=refresh_token'));
  await expireToken(page);
  await toImages(page).click();
  expect((await renewed).status()).toBe(200);
  await expectToast(page, 'Erfolg', 'Das Transkript wurde erfolgreich gespeichert.');
  await expect(page).toHaveURL('/image-upload-after-voice');
  expect((await getStored(server, user)).interviews).toMatchObject([{ transcript: 'Geändert, dann abgelaufen' }]);
});

test('A login that ended elsewhere: nothing is handed in as nobody, and after a new login it is all there (0140)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('firma_a', '/firma-a/document-upload');
  await choose(page, REPORT);
  await expect(page.getByText(REPORT.name)).toBeVisible();
  await asOwner(server.databaseUrl, (client) =>
    client.query('delete from auth.sessions where user_id = $1', [user.id]),
  );
  const rows = () =>
    asOwner(server.databaseUrl, async (client) => {
      const all = await client.query('select max(id) as last from interviews');
      return all.rows[0].last;
    });
  const before = await rows();
  await upload(page).click();
  await expect(page).toHaveURL('/login');
  expect(await rows()).toEqual(before);
  await submitLogin(page, user);
  await expect(page).toHaveURL('/firma-a/document-upload');
  await expect(page.getByText(REPORT.name)).toBeVisible();
  await upload(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Vielen Dank für deinen Beitrag!');
  expect((await getStored(server, user)).interviews).toHaveLength(1);
});

/** The browser finds its token expired at the next call. */
async function expireToken(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const [key, value] of Object.entries(localStorage)) {
      if (!value.includes('"refresh_token"')) continue;
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(value), expires_at: 1, expires_in: 0 }));
    }
  });
}

test('Local mode: the backend is unreachable from the start (§4)', async ({ page, server, loginAs }) => {
  const user = await loginAs('vdi_admin');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Hallo /);
  await page.route(BACKEND, (route) => route.abort());
  await page.goto('/voice-message');
  await record(page, 1);
  await next(page).click();
  await expectToast(
    page,
    'Hinweis',
    'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
  );
  await expect(page).toHaveURL('/transcript-edit');
  await expect(page.getByText(/local_voice_\d+_[0-9a-f]+/)).toBeVisible();
  await toImages(page).click();
  await expectToast(page, 'Transkript gespeichert', 'lokal');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await upload(page).click();
  await expectToast(page, 'Bilder lokal gespeichert', 'temporär');
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText('Nur auf diesem Gerät')).toBeVisible();
  await leaveContact(page);
  await expectToast(page, 'Kontaktdaten', 'lokal gespeichert (Testmodus)');
  await expect(page).toHaveURL('/');
  expect((await getStored(server, user)).interviews).toEqual([]);

  // decision 0357: what was handed in arrives once the backend is there.
  await page.unrouteAll();
  await page.reload();
  const stored = () => getStored(server, user);
  await expect
    .poll(async () => (await stored()).interviews)
    .toMatchObject([{ transcript: SPOKEN_TEXT, contact_email: 'ada@beispiel.test' }]);
  expect((await stored()).media.map(({ file_type: type }) => type).toSorted()).toEqual(['image/png', 'text/plain']);
});
