import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer } from '#tests/support/boot.ts';
import { anon, newKey } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { expect, test } from './application.ts';
import { answerAll, choose, currentId, getStored } from './files.ts';
import { enterScreen } from './flow.ts';
import { expectToast } from './toasts.ts';
import { PICTURE } from './voice-message.ts';

const upload = (page: Page) => page.getByRole('button', { name: 'Hochladen', exact: true });
const chosen = (page: Page) => page.getByRole('list', { name: 'Ausgewählte Dateien' });

/** As from the desktop or the clipboard: the browser's own event with files in it. */
async function bring(page: Page, how: 'drop' | 'paste', names: readonly string[]): Promise<void> {
  await page.evaluate(
    ([kind, given, content]) => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
      for (const name of given) transfer.items.add(new File([bytes], name, { type: 'image/png' }));
      const zone = document.querySelector('input[type=file]')?.parentElement;
      if (kind === 'drop') zone?.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: transfer }));
      else document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true }));
    },
    [how, names, PICTURE.buffer.toString('base64')] as const,
  );
}

const ODD_NAMES = [
  'Prüfstand Größe Ü.png',
  '😀 👩‍🔧 Werkstatt.png',
  '..\\..\\etc\\passwd.png',
  'a%2F..%2Fb?x=1#y;z&.png',
  '\u202Egnp.exe.png',
  `${'sehr-lang-'.repeat(30)}.png`,
];

test('bad input: umlauts, emoji, path characters, 300 characters: dropped and pasted, shown, stored under safe names', async ({
  page,
  server,
}) => {
  await page.goto('/upload');
  await expect(page.getByText('Nicht verfügbar')).toBeVisible();
  await bring(page, 'drop', ODD_NAMES.slice(0, 4));
  await bring(page, 'paste', ODD_NAMES.slice(4));
  await expect(chosen(page).getByRole('listitem')).toHaveCount(ODD_NAMES.length);
  // A picture has its width once it is decoded.
  const readWidths = () =>
    chosen(page)
      .locator('img')
      .evaluateAll((images) => images.map((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)));
  await expect.poll(readWidths).toEqual(ODD_NAMES.map(() => 1));
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await upload(page).click();
  await expect(page).toHaveURL('/thank-you');
  for (const name of ODD_NAMES) await expect(page.getByText(name)).toBeVisible();
  const { media, objects } = await getStored(server.databaseUrl, await currentId(page));
  expect(media).toHaveLength(ODD_NAMES.length);
  for (const { name } of objects) expect(name).toMatch(/^\d+\/\d+_[0-9a-f]{32}\.png$/);
});

test('experience Phone first: the camera is offered where there is a finger, not where there is a mouse', async ({
  browser,
  server,
  page,
}) => {
  await page.goto('/upload');
  await expect(page.getByRole('button', { name: 'Fotos und Videos auswählen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Kamera öffnen' })).toBeHidden();
  const phone = await browser.newContext({
    baseURL: server.url,
    hasTouch: true,
    isMobile: true,
    viewport: { width: 360, height: 740 },
  });
  const screen = await phone.newPage();
  await screen.goto('/upload');
  const [chooser] = await Promise.all([
    screen.waitForEvent('filechooser'),
    screen.getByRole('button', { name: 'Kamera öffnen' }).tap(),
  ]);
  expect(await chooser.element().getAttribute('capture')).toBe('environment');
  await chooser.setFiles(PICTURE);
  await expect(chosen(screen).getByText(PICTURE.name)).toBeVisible();
  await phone.close();
});

test('bad input: somebody else’s id gets nothing, says so, and loses nothing', async ({ page, server, loginAs }) => {
  const owner = await createUser(server, { role: 'firma_b' });
  const made = await owner.client.from('interviews').insert({}).select('id').single<{ id: number }>();
  const foreign = String(made.data?.id);
  await loginAs('firma_a');
  await enterScreen(page, '/firma-a/image-upload', { interviewId: foreign });
  await choose(page, PICTURE);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await page.getByRole('button', { name: /Textformular/ }).click();
  await answerAll(page);
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expectToast(page, 'Fehler', 'Die Bildbeschreibungen konnten nicht gespeichert werden.');
  await expect(page.getByText(PICTURE.name)).toBeVisible();
  await expect(page.getByLabel('Wer?')).not.toHaveValue('');
  await enterScreen(page, '/firma-a/upload', { interviewId: foreign });
  await expectToast(page, 'Fehler', 'Content-ID nicht gefunden. Bitte starten Sie den Prozess neu.');
  const { interviews, media, objects } = await getStored(server.databaseUrl, foreign);
  expect([interviews[0]?.['w_questions_answers'], media, objects]).toEqual([null, [], []]);
});

test('bad input: the bucket is missing: Storage-Fehler, the files stay, and once it is there they arrive', async ({
  browser,
}) => {
  const server = await bootServer();
  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
  try {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    await server.service().storage.deleteBucket('Media');
    const page = await context.newPage();
    await page.goto(`/upload#i=${id}&k=${key}`);
    await expect(page.getByText('Eingeschränkter Modus')).toBeVisible();
    await choose(page, PICTURE);
    await upload(page).click();
    await expectToast(page, 'Storage-Fehler', 'Der Speicherort konnte nicht angelegt werden.');
    await expect(page).toHaveURL('/upload');
    await server.service().storage.createBucket('Media', { public: false });
    await page.getByRole('button', { name: 'Erneut versuchen', exact: true }).click();
    await expect(page).toHaveURL('/thank-you');
    expect((await getStored(server.databaseUrl, String(id))).media).toHaveLength(1);
  } finally {
    await context.close();
    await server.stop();
  }
});
