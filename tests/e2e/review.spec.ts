import type { Page } from '@playwright/test';
import { must } from '#tests/support/desk-calls.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { COLOURS, findings } from './findings.ts';
import { picture } from './pictures.ts';
import { getAnswers, getCard, openReview } from './review.ts';
import { countKeptPieces } from './voice-message.ts';

const press = (page: Page, channel: string, name: string) =>
  getCard(page, channel).getByRole('button', { name, exact: true }).click();

test('A contributor answers each post on a phone, without a login and in two tabs, and takes texts and pictures along (posts)', async ({
  page,
  context,
  server,
}) => {
  test.slow();
  const review = await openReview(server);
  await page.goto(review.link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hallo Ada!');
  expect(page.url(), 'the key leaves the address bar').not.toContain(review.key);
  await expect(getCard(page, 'LinkedIn').getByRole('img')).toHaveCount(2);
  await expect(page.getByText('#Messtechnik')).toBeHidden();
  await press(page, 'LinkedIn', 'mehr');
  await expect(page.getByText('#Messtechnik')).toBeVisible();
  const other = await context.newPage();
  await other.goto(review.link);
  await expect(getCard(other, 'LinkedIn').getByRole('button', { name: 'Passt so' })).toBeVisible();
  expect(await getAnswers(server, review.contribution), 'opening answers nothing').toEqual([]);

  await press(page, 'LinkedIn', 'Passt so');
  await expect(getCard(page, 'LinkedIn')).toContainText('Du hast Ja gesagt');
  await expect(getCard(other, 'LinkedIn'), 'in the other tab').toContainText('Du hast Ja gesagt');
  await press(page, 'Instagram', 'Bitte ändern');
  await press(page, 'Instagram', 'Änderung senden');
  await expect(getCard(page, 'Instagram').getByRole('alert')).toHaveText('Schreib kurz, was wir ändern sollen.');
  await getCard(page, 'Instagram').getByRole('textbox').fill('Es waren vier Monate.');
  await press(page, 'Instagram', 'Änderung senden');
  await expect(getCard(page, 'Instagram')).toContainText('Es waren vier Monate.');
  await expect.poll(async () => (await getAnswers(server, review.contribution)).length).toBe(2);
  const packing = /\/assets\/(?:done|pack-review)-/;
  const lost = page.waitForEvent('requestfailed', (request) => /\/assets\/done-/.test(request.url()));
  await page.route(packing, (route) => route.abort('connectionfailed'));
  await press(other, 'Website', 'Nicht veröffentlichen');
  await press(other, 'Website', 'Ja, nicht veröffentlichen');
  await expect(getCard(page, 'Website')).toContainText('wird nicht veröffentlicht');
  await expect(page.getByText('3 von 3 beantwortet')).toBeVisible();
  await other.close();
  expect(await getAnswers(server, review.contribution)).toEqual([
    ['linkedin', 'approve', ''],
    ['instagram', 'change', 'Es waren vier Monate.'],
    ['website', 'decline', ''],
  ]);

  await lost;
  await page.unroute(packing);
  // What was lost comes by itself.
  await page.getByRole('button', { name: 'Text kopieren: Website' }).click();
  await expect(page.getByRole('button', { name: 'Kopiert: Website' })).toBeVisible();
  await page.route(packing, (route) => route.abort('connectionfailed'));
  await page.getByRole('button', { name: 'Für mich herunterladen' }).click();
  await expect(page.getByText('Das Herunterladen hat nicht geklappt.')).toBeVisible();
  await page.unroute(packing);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Für mich herunterladen' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('meine-posts.zip');
  const names = (await listZip(await saved.path())).toSorted();
  expect(names).toEqual([
    '01-linkedin-bild-1.png',
    '01-linkedin-bild-2.png',
    '01-linkedin.txt',
    '02-instagram-bild-1.png',
    '02-instagram.txt',
    '03-website-bild-1.png',
    '03-website.txt',
  ]);
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }

  // An answer can be changed until the post is published, and is withdrawn after that.
  await press(page, 'Website', 'Antwort ändern');
  await press(page, 'Website', 'Passt so');
  await expect(getCard(page, 'Website')).toContainText('Du hast Ja gesagt');
  const url = 'https://example.org/beitrag/1';
  await must(review.admin.rpc('desk_post_move', { id: review.posts[2]?.id, version: 1, state: 'published', url }));
  await page.reload();
  await expect(getCard(page, 'Website').getByRole('link', { name: 'Post ansehen' })).toHaveAttribute('href', url);
  await expect(getCard(page, 'Website').getByRole('button', { name: 'Antwort ändern' })).toHaveCount(0);
  await press(page, 'Website', 'Zurückziehen');
  await getCard(page, 'Website').getByRole('textbox').fill('Ich habe die Firma gewechselt.');
  await press(page, 'Website', 'Ja, zurückziehen');
  await expect(getCard(page, 'Website')).toContainText('nimmt den Post herunter');
  expect((await getAnswers(server, review.contribution)).slice(3)).toEqual([
    ['website', 'approve', ''],
    ['website', 'withdraw', 'Ich habe die Firma gewechselt.'],
  ]);
});

test('A request for a change is spoken, survives a reload, becomes text that can be edited, and is sent (0264)', async ({
  page,
  server,
  transcription,
}) => {
  const review = await openReview(server, ['linkedin']);
  transcription.reset();
  await page.goto(review.link);
  const card = getCard(page, 'LinkedIn');
  const words = card.getByRole('textbox');
  await press(page, 'LinkedIn', 'Bitte ändern');
  await words.fill('Zum ersten Absatz:');
  const recorder = /\/assets\/voice-message-/;
  await page.route(recorder, (route) => route.abort('connectionfailed'));
  await card.getByRole('button', { name: 'Lieber sprechen' }).press('Enter');
  await expect(card.getByText('Die Aufnahme konnte nicht geladen werden.')).toBeVisible();
  await page.unroute(recorder);
  await card.getByRole('button', { name: 'Lieber schreiben' }).click();
  await card.getByRole('button', { name: 'Lieber sprechen' }).press('Enter');
  await card.getByRole('button', { name: 'Aufnahme starten' }).click();
  await expect(card.getByRole('timer')).toHaveText(/^00:(0[2-9]|[1-5]\d)$/);
  await expect(card.getByText('von 02:00')).toBeVisible();
  // In the middle of the recording.
  await expect.poll(() => page.evaluate(countKeptPieces)).toBeGreaterThan(0);
  await page.reload();
  await expect(words).toHaveValue('Zum ersten Absatz:');
  await expect(card.getByText('Unfertige Aufnahme gefunden')).toBeVisible();
  await card.getByRole('button', { name: 'Damit weitermachen' }).click();
  await expect(card.getByText('Aufnahme fertig')).toBeVisible();
  await expect.poll(() => findings(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => findings(page, COLOURS), 'dark').toEqual([]);
  await picture(page, 'review-spoken');

  transcription.behave({ kind: 'answer', status: 500, body: '{}' });
  await card.getByRole('button', { name: 'In Text umwandeln' }).click();
  await expect(card.getByRole('alert')).toContainText('Deine Aufnahme ist erhalten geblieben.');
  transcription.reset();
  await card.getByRole('button', { name: 'In Text umwandeln' }).press('Enter');
  await expect(words).toHaveValue(`Zum ersten Absatz:\n${SPOKEN_TEXT}`);
  await expect(words).toBeFocused();
  await expect(card.getByRole('button', { name: 'Lieber sprechen' })).toBeVisible();
  expect(await getAnswers(server, review.contribution), 'speaking sends no answer').toEqual([]);
  await words.fill(`${SPOKEN_TEXT} Danke!`);
  await press(page, 'LinkedIn', 'Änderung senden');
  await expect(card).toContainText('Dein Wunsch ist beim Team');
  expect(await getAnswers(server, review.contribution)).toEqual([['linkedin', 'change', `${SPOKEN_TEXT} Danke!`]]);
  await expect.poll(() => page.evaluate(countKeptPieces), 'no sound stays on the device').toBe(0);
});

test('The review page works with the keyboard alone and has no finding in light and dark, also where a post was taken back (posts)', async ({
  page,
  server,
}) => {
  const review = await openReview(server, ['linkedin', 'instagram']);
  await page.goto(review.link);
  const card = getCard(page, 'LinkedIn');
  await expect(card.getByRole('img')).toHaveCount(2);
  await picture(page, 'review');
  await card.getByRole('button', { name: 'mehr' }).press('Enter');
  await expect(card.getByRole('button', { name: 'weniger' })).toBeFocused();
  await card.getByRole('button', { name: 'Worauf stützt sich das?' }).press('Space');
  await expect(card.getByText('Von uns ergänzt').first()).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(card.getByRole('button', { name: 'Passt so' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(card.getByRole('textbox')).toBeFocused();
  await expect.poll(() => findings(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => findings(page, COLOURS), 'dark').toEqual([]);
  await page.keyboard.type('Bitte mit Foto vom Team.');
  // Speaking the request comes first.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(card.getByRole('button', { name: 'Änderung senden' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(card).toContainText('Dein Wunsch ist beim Team');
  await expect.poll(() => findings(page)).toEqual([]);
  await press(page, 'Instagram', 'Bitte ändern');
  await getCard(page, 'Instagram').getByRole('textbox').fill('Es waren vier Monate.');
  await must(review.admin.rpc('desk_post_move', { id: review.posts[1]?.id, version: 1, state: 'draft' }));
  await press(page, 'Instagram', 'Änderung senden');
  await expect(getCard(page, 'Instagram')).toContainText('Deine Antwort haben wir deshalb nicht gezählt');
  await expect.poll(() => findings(page)).toEqual([]);
});

/** Names in the archive's directory. */
async function listZip(path: string): Promise<string[]> {
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(path);
  const names: string[] = [];
  for (let at = bytes.indexOf('PK\u0001\u0002'); at >= 0; at = bytes.indexOf('PK\u0001\u0002', at + 4)) {
    names.push(bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28)));
  }
  return names;
}
