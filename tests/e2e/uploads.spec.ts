import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { anon, newKey } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { expect, test } from './application.ts';
import { ANSWERS, answerAll, choose, currentId, film, PICTURE, REPORT, getStored } from './files.ts';
import { expectAccessible } from './findings.ts';

const THANKS = 'Vielen Dank für deinen Beitrag!';
const toast = (page: Page, words: string) => page.getByText(words).first();

/** A contribution with its key, as a colleague hands it on (D9). */
async function handedOn(server: TestServer) {
  const key = newKey();
  const id = await createInterview(server.backend.database, anon(key));
  return { id: String(id), link: `/upload#i=${id}&k=${key}` };
}

test('Image: choose, describe, submit; answers, file and one row arrive (§2.9)', async ({ page, server, loginAs }) => {
  const user = await loginAs('vdi_admin', '/image-upload');
  await expect(page.getByRole('heading', { name: 'Bild hochladen' })).toBeVisible();
  await expectAccessible(page);
  await choose(page, PICTURE);
  await expect(page.getByText('werkstatt.png')).toBeVisible();
  await page.getByRole('button', { name: 'Weiter' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: /Textformular/ }).click();
  await page.getByLabel('Wer?').fill('A');
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect(toast(page, 'Bitte beantworte alle W-Fragen mit mindestens 2 Zeichen.')).toBeVisible();
  await expectAccessible(page);
  await answerAll(page);
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByRole('heading', { name: THANKS })).toBeVisible();
  await expect(page.getByText('werkstatt.png')).toBeVisible();

  const id = await currentId(page);
  const { interviews, media, objects } = await getStored(server.databaseUrl, id);
  expect(interviews).toHaveLength(1);
  expect(interviews[0]).toMatchObject({
    user_id: user.id,
    w_questions_answers: {
      who: ANSWERS['Wer?'],
      what: ANSWERS['Was?'],
      when: ANSWERS['Wann?'],
      where: ANSWERS['Wo?'],
      why: ANSWERS['Warum?'],
    },
  });
  expect(media).toEqual([{ file_path: objects[0]?.name, file_type: 'image/png' }]);
  expect(objects).toEqual([{ name: expect.stringMatching(/^\d+\/\d+_[0-9a-f]{32}\.png$/), size: expect.anything() }]);
});

test('Video of 7 MB: all five answers, Zurück keeps them, so does a reload (§2.9)', async ({
  page,
  server,
  loginAs,
}) => {
  await loginAs('firma_b', '/video-upload');
  await expect(page).toHaveURL('/firma-b/video-upload');
  await choose(page, PICTURE);
  await expect(page.getByText('Das ist kein Video.')).toBeVisible();
  await choose(page, film(7 * 1024 * 1024));
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByRole('button', { name: /Textformular/ }).click();
  await answerAll(page);
  await page.getByLabel('Warum?').fill('   ');
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect(toast(page, 'Bitte beantworte alle W-Fragen.')).toBeVisible();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await expect(page.getByRole('heading', { name: 'Wie möchtest du es beschreiben?' })).toBeVisible();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await expect(page.getByText('maschine.mp4')).toBeVisible();

  await page.reload();
  await expect(page.getByText('Deine Angaben sind noch da.')).toBeVisible();
  await choose(page, film(7 * 1024 * 1024));
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByRole('button', { name: /Textformular/ }).click();
  await expect(page.getByLabel('Wer?')).toHaveValue(ANSWERS['Wer?']);
  await page.getByLabel('Warum?').fill('x');
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect(page).toHaveURL('/firma-b/thank-you');

  const { media, objects } = await getStored(server.databaseUrl, await currentId(page, 'firmaBCurrentInterviewId'));
  expect(media).toEqual([{ file_path: objects[0]?.name, file_type: 'video/mp4' }]);
  expect(objects).toEqual([{ name: expect.stringMatching(/\.mp4$/), size: String(7 * 1024 * 1024) }]);
});

test('Document: refused by type, taken with an emoji in its name (§2.9)', async ({ page, server, loginAs }) => {
  await loginAs('vdi_admin', '/document-upload');
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(toast(page, 'Bitte wähle eine Datei zum Hochladen aus.')).toBeVisible();
  await choose(page, PICTURE);
  await expect(toast(page, 'Bitte lade ein PDF, DOC, DOCX oder TXT Dokument hoch.')).toBeVisible();
  await choose(page, REPORT);
  await expect(page.getByText('unter 0,01 MB')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText(REPORT.name)).toBeVisible();
  const { media, objects } = await getStored(server.databaseUrl, await currentId(page));
  expect(media).toEqual([{ file_path: objects[0]?.name, file_type: 'application/pdf' }]);
  expect(objects[0]?.name).toMatch(/^\d+\/\d+_[0-9a-f]{32}\.pdf$/);
});

test('A contributor with a link and without a login: a key that ends keeps the files, one that holds sends them (§2.10, D9)', async ({
  page,
  server,
}) => {
  const { id, link } = await handedOn(server);
  const setKey = (until: string) =>
    server.backend.database.asOwner((tx) =>
      tx.query(`update private.interview_keys set expires_at = ${until} where interview_id = $1`, [id]),
    );
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Upload von Medien' })).toBeVisible();
  await expect(page.getByText(`${id}...`)).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(toast(page, 'Bitte wähle mindestens eine Datei zum Hochladen aus.')).toBeVisible();
  await choose(page, [PICTURE, film()]);
  await expectAccessible(page);
  await setKey('now()');
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(toast(page, 'Storage-Hinweis')).toBeVisible();
  for (const { name } of [PICTURE, film()]) await expect(page.getByTitle(name, { exact: true })).toBeVisible();
  await expect(page).toHaveURL('/upload');
  expect(await getStored(server.databaseUrl, id)).toMatchObject({ media: [], objects: [] });

  await setKey(`now() + interval '1 day'`);
  await page.getByRole('button', { name: 'Erneut versuchen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText('maschine.mp4')).toBeVisible();
  const { interviews, media, objects } = await getStored(server.databaseUrl, id);
  expect(interviews).toHaveLength(1);
  expect(media.map(({ file_type }) => file_type)).toEqual(['image/png', 'video/mp4']);
  expect(objects.map(({ name }) => name)).toEqual(media.map(({ file_path }) => file_path));
});

test('A foreign or expired key: said at once, nothing is stored; without it, an own contribution with the first upload (D9)', async ({
  page,
  server,
}) => {
  const { id } = await handedOn(server);
  await page.goto(`/upload#i=${id}&k=${newKey()}`);
  await expect(page.getByText('Dieser Link gilt nicht mehr')).toBeVisible();
  await expect(toast(page, 'Content-ID nicht gefunden. Bitte starten Sie den Prozess neu.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Ohne Link hochladen' }).click();
  await expect(page.getByText('Nicht verfügbar')).toBeVisible();
  expect(await currentId(page)).toBe('');
  await choose(page, PICTURE);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  expect(await getStored(server.databaseUrl, id)).toMatchObject({ media: [], objects: [] });
  const { interviews, media } = await getStored(server.databaseUrl, await currentId(page));
  expect(interviews[0]).toMatchObject({ user_id: null });
  expect(media).toHaveLength(1);
});

test('Progress is the bytes, leaving warns, and a large video cut off goes on after a reload and arrives once (D18, contract §3.3)', async ({
  page,
  server,
}, testInfo) => {
  // Three parts. The route passes each of them through the test's process, which is slow on a busy machine.
  const bytes = 13 * 1024 * 1024;
  const file = testInfo.outputPath('maschine.mp4');
  await writeFile(file, film(bytes).buffer);
  const { id, link } = await handedOn(server);
  const offsets: (string | undefined)[] = [];
  let creations = 0;
  page.on('request', (request) => {
    if (!request.url().includes('/upload/resumable')) return;
    if (request.method() === 'POST') creations += 1;
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset']);
  });
  let parts = 0;
  let cut = true;
  const second = Promise.withResolvers<void>();
  // Stays to the end: a request under way when the last route is taken off may never be answered.
  await page.route('**/upload/resumable/*', async (route) => {
    if (route.request().method() !== 'PATCH' || !cut) return route.continue();
    parts += 1;
    if (parts === 1) return route.continue();
    await second.promise;
    return route.abort('connectionreset');
  });

  await page.goto(link);
  await choose(page, file);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect.poll(() => parts).toBe(2);
  const bar = page.getByRole('progressbar', { name: 'Upload-Fortschritt' });
  const shown = async (): Promise<number> => Number(await bar.getAttribute('value'));
  // 6 of 13 MB have arrived; of the second part at most all bytes are on their way.
  await expect.poll(shown).toBeGreaterThanOrEqual(46);
  expect(await shown()).toBeLessThanOrEqual(93);
  const warned = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await warned;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();

  page.on('dialog', (asked) => void asked.accept());
  second.resolve();
  await expect.poll(() => parts).toBeGreaterThan(2);
  await page.reload();
  cut = false;
  expect(await getStored(server.databaseUrl, id)).toMatchObject({ media: [], objects: [] });

  offsets.length = 0;
  await choose(page, file);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText('maschine.mp4')).toBeVisible();
  expect(offsets[0]).toBe(String(6 * 1024 * 1024));
  expect(creations).toBe(1);
  const { media, objects } = await getStored(server.databaseUrl, id);
  expect(objects).toEqual([{ name: media[0]?.file_path, size: String(bytes) }]);
  expect(media).toHaveLength(1);
});
