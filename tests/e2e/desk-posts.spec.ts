import type { Page } from '@playwright/test';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { must } from '#tests/support/desk-calls.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { expect, test } from './application.ts';
import { getRows, openInbox, richContribution, toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { picture } from './pictures.ts';
import { openReview } from './review.ts';

test.use({ apart: 'desk-posts', viewport: { width: 1440, height: 900 } });

const field = (page: Page) => page.getByLabel('Text', { exact: true });

async function addPost(page: Page, channel: string): Promise<void> {
  await page.getByRole('button', { name: 'Post anlegen' }).click();
  await page.getByRole('menuitemcheckbox', { name: channel }).click();
  await expect(page.getByRole('heading', { level: 2, name: channel, exact: true })).toBeVisible();
}

/** An administrator, at the posts of a contribution. */
async function toPosts(page: Page, server: TestServer, id: number): Promise<void> {
  await toDesk(page, server, `/admin/eingang/${id}`);
  await openPosts(page);
}

async function openPosts(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Posts/ }).click();
  await expect(page).toHaveURL(/ansicht=posts/);
}

for (const width of [1440, 390])
  test(`The team writes a post, sees what it rests on and sends it for review (${width} px, posts)`, async ({
    page,
    server,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const id = await richContribution(server);
    await toPosts(page, server, id);
    await expect(page.getByText('Noch kein Post')).toBeVisible();
    await addPost(page, 'LinkedIn');
    await page.getByRole('button', { name: 'Aus dem Material beginnen' }).click();
    await expect(field(page)).toHaveValue(/Eine Prüfmaschine\. Das Team der Montage/);
    await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();

    await field(page).fill(
      'Eine neue Prüfmaschine, die jedes Bauteil in unter zwei Sekunden misst. Sie steht in Halle 7. #Messtechnik',
    );
    await expect(page.getByText('1 Angabe ist nicht belegt:')).toBeVisible();
    await page.getByRole('button', { name: 'Halle 7 im Text zeigen' }).click();
    const evidence = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Beleg' }) });
    await expect(evidence.getByText('Nicht belegt')).toBeVisible();
    await field(page).press('ControlOrMeta+Home');
    await expect(evidence.getByText('Wörtlich gesagt')).toBeVisible();
    const marked = () =>
      page.evaluate(() => {
        const [range] = CSS.highlights.get('evidence') ?? [];
        return range instanceof Range ? range.toString() : '';
      });
    expect(await marked(), 'the place in the transcript').toContain('Eine neue Prüfmaschine, die jedes Bauteil');
    await expect(page.getByText(/^106 von 3\.000 Zeichen$|von 3\.000 Zeichen/).first()).toBeVisible();

    // By keyboard: the second picture first, with its text.
    await page.getByRole('checkbox', { name: 'Bild 2 (PNG) verwenden' }).press('Space');
    await page.getByRole('button', { name: 'Bild 2 (PNG) nach vorn' }).press('Enter');
    await expect(page.getByText('Bild 2 (PNG) steht jetzt an Stelle 1.')).toBeAttached();
    await page.getByRole('button', { name: 'Speichern' }).click();
    await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
    const dialog = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
    await expect(dialog.getByText('LinkedIn: Ein Alternativtext fehlt.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: '0 Posts senden' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Abbrechen' }).click();

    await page.getByLabel('Alternativtext von Bild 2 (PNG)').fill('Die Prüfmaschine neben der Drehbank');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.evaluate(() => window.scrollTo(0, 0));
    await picture(page, 'desk-posts');
    await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
    await expect(dialog.getByText('Nicht im Material, bitte noch einmal ansehen:')).toBeVisible();
    await expect(dialog.getByText('1 Bild ohne Angabe, wer zu erkennen ist')).toBeVisible();
    await picture(page, 'desk-posts-send');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: '1 Post senden' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('Zur Freigabe', { exact: true }).first()).toBeVisible();
    const mail = async () =>
      (await mailsIn(server.dataDir)).find(({ subject }) => subject === `Dein Beitrag ${id}: Passt das so?`);
    await expect.poll(async () => (await mail())?.text).toMatch(/\/freigabe#k=[\w-]{43}/);
    expect((await mail())?.to).toBe('ada@beispiel.test');

    const key = /#k=([\w-]{43})/.exec((await mail())?.text ?? '')?.[1] ?? '';
    const reader = server.client({ headers: { 'x-review-key': key } });
    const { data } = await reader.rpc('review_open');
    const post = data.posts[0].id;
    await reader.rpc('review_answer', { post, version: 3, answer: 'change', comment: 'Es war Halle 3.' });
    await page.reload();
    await expect(page.getByText('Es war Halle 3.')).toBeVisible();
    await expect(page.getByText('Änderung gewünscht').first()).toBeVisible();
    await reader.rpc('review_answer', { post, version: 3, answer: 'approve' });
    await page.reload();
    await expect(page.getByText('1 von 1 freigegeben')).toBeVisible();
    await page.getByRole('button', { name: 'Veröffentlicht' }).click();
    const publish = page.getByRole('dialog', { name: 'Wo steht der Post?' });
    await publish.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
    await expect(publish.getByText('Bitte trag die Adresse ein.')).toBeVisible();
    await publish.getByLabel(/^Adresse/).fill('https://www.linkedin.com/posts/1');
    await publish.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
    await expect(page.getByRole('link', { name: 'https://www.linkedin.com/posts/1' })).toBeVisible();
    await expect(field(page)).not.toBeEditable();
  });

test('An answer by link moves the contribution on the open board and in its own view, by itself (0263)', async ({
  page,
  context,
  server,
}) => {
  const review = await openReview(server, ['linkedin', 'instagram']);
  await toDesk(page, server, '/admin/eingang/tafel');
  const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) });
  const card = (name: string) =>
    column(name)
      .getByRole('listitem')
      .filter({ has: page.locator(`a[href*="/${review.contribution}"]`) });
  await expect(card('Zur Freigabe')).toContainText('0 von 2 freigegeben');
  const view = await context.newPage();
  await view.goto(`/admin/eingang/${review.contribution}`);
  await openPosts(view);
  await view.getByRole('link', { name: 'Material' }).click();

  const reader = server.client({ headers: { 'x-review-key': review.key } });
  const answer = (at: number, given: string, comment = '') =>
    must(reader.rpc('review_answer', { post: review.posts[at]?.id, version: 1, answer: given, comment }));
  await answer(0, 'approve');
  await answer(1, 'change', 'Es waren vier Monate.');
  await expect(card('In Arbeit')).toContainText('1 von 2 freigegeben', { timeout: 60_000 });
  await expect(card('In Arbeit')).toContainText('Änderung gewünscht');
  await expect(card('Zur Freigabe')).toHaveCount(0);
  await expect(view.getByText('Änderung gewünscht')).toBeVisible({ timeout: 60_000 });
  await expect(view.getByRole('list', { name: 'Verlauf' })).toContainText('durch die Antwort auf die Posts');
  // The message without a link is not offered as the next step where there are posts.
  await expect(view.getByRole('button', { name: 'Nachricht zur Freigabe schreiben' })).toHaveCount(0);
  await view.getByRole('link', { name: 'Zu den Posts' }).click();
  await expect(view.getByRole('button', { name: 'Post anlegen' })).toBeVisible();

  await answer(1, 'approve');
  await expect(card('Zur Freigabe')).toContainText('2 von 2 freigegeben', { timeout: 60_000 });
  await expect(card('Zur Freigabe')).toContainText('Alles freigegeben');
  await expect(view.getByText('Alles freigegeben')).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);
  await expectAccessible(view);
  // The list knows it, too.
  await openInbox(view);
  const row = getRows(view).filter({ has: view.locator(`a[href*="/${review.contribution}"]`) });
  await expect(row).toContainText('2 von 2 freigegeben');
  await expect(row).toContainText('Alles freigegeben');
});

test('Pictures of a post are put in order with the pointer and with the keyboard (posts)', async ({ page, server }) => {
  const id = await richContribution(server);
  await toPosts(page, server, id);
  await addPost(page, 'Instagram');
  const preview = page.locator('section').filter({ has: page.getByRole('heading', { name: /^So sieht es bei/ }) });
  await expect(preview.getByText('Dieser Kanal braucht ein Bild.')).toBeVisible();
  const rows = page.getByRole('list', { name: 'Bilder' }).getByRole('listitem');
  const order = async () => (await rows.getByRole('checkbox').all()).length;
  await expect.poll(order).toBe(2);
  for (const number of [1, 2]) {
    await page.getByRole('checkbox', { name: `Bild ${number} (PNG) verwenden` }).check();
    await page.getByLabel(`Alternativtext von Bild ${number} (PNG)`).fill(`Ansicht ${number}`);
  }
  await expect(preview.getByRole('img')).toHaveCount(2);
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Ansicht 1');

  await rows.nth(1).locator('img').dragTo(rows.nth(0));
  await expect(page.getByText('Bild 2 (PNG) steht jetzt an Stelle 1.')).toBeAttached();
  await expect(rows.nth(0)).toContainText('Bild 2 (PNG)');
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Ansicht 2');
  await page.getByRole('button', { name: 'Bild 2 (PNG) nach hinten' }).press('Enter');
  await expect(rows.nth(0)).toContainText('Bild 1 (PNG)');
  await page.getByRole('button', { name: 'Bild 2 (PNG) nach vorn' }).press('Space');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
  await page.reload();
  await expect(rows.nth(0)).toContainText('Bild 2 (PNG)');
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Ansicht 2');
  // A text is selected with the pointer: its field is not dragged.
  await page.getByLabel('Alternativtext von Bild 2 (PNG)').dblclick({ position: { x: 30, y: 20 } });
  await page.keyboard.type('Blick');
  await expect(page.getByLabel('Alternativtext von Bild 2 (PNG)')).toHaveValue(/^Blick/);
  await expectAccessible(page);
  await preview.scrollIntoViewIfNeeded();
  await picture(page, 'desk-posts-preview');
});

test('Two editors: both texts are shown, and nothing typed is lost (posts)', async ({ page, browser, server }) => {
  const id = await richContribution(server);
  await toPosts(page, server, id);
  await addPost(page, 'Facebook');
  await field(page).fill('Die Prüfmaschine steht in Halle 3.');
  await page.reload();
  await expect(field(page)).toHaveValue('Die Prüfmaschine steht in Halle 3.');
  await expect(page.getByText('Nicht gespeicherter Text von diesem Gerät')).toBeVisible();

  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
  const other = await context.newPage();
  await toPosts(other, server, id);
  await field(other).fill('Die Prüfmaschine steht neben der Drehbank.');
  // Who presses it while the sentences are looked up must not miss it.
  const save = other.getByRole('button', { name: 'Speichern' });
  const findTop = () => save.evaluate((button) => button.getBoundingClientRect().top);
  const top = await findTop();
  await expect(other.getByText('Alle Angaben sind belegt.')).toBeVisible();
  expect(await findTop()).toBe(top);
  await save.click();
  await expect(other.getByText('Gespeichert', { exact: true })).toBeVisible();
  await context.close();

  await page.getByRole('button', { name: 'Speichern' }).click();
  const conflict = page.getByRole('status').filter({ hasText: 'Jemand anderes hat inzwischen gespeichert' });
  await expect(conflict.getByText('Deine Fassung')).toBeVisible();
  await expect(conflict.getByText('Gespeicherte Fassung 2')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'desk-posts-conflict');
  await conflict.getByRole('button', { name: 'Mit meiner weiterarbeiten' }).click();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
  const versions = page.getByRole('list', { name: 'Fassungen' });
  await versions.getByRole('button', { name: 'Fassung 3' }).click();
  await expect(versions.locator('del').first()).toBeVisible();
  await versions.getByRole('button', { name: 'Fassung 2' }).click();
  await versions.getByRole('button', { name: 'Diese Fassung übernehmen' }).click();
  await expect(field(page)).toHaveValue('Die Prüfmaschine steht neben der Drehbank.');
  const kept = await asOwner(server.databaseUrl, (client) =>
    client.query(
      `select body from post_versions as v join posts as p on p.id = v.post_id where p.interview_id = $1
      order by v.version`,
      [id],
    ),
  );
  expect(kept.rows.map(({ body }) => body)).toEqual([
    '',
    'Die Prüfmaschine steht neben der Drehbank.',
    'Die Prüfmaschine steht in Halle 3.',
  ]);
});

test('A text that is not saved is neither sent, nor shown or copied as what was approved (posts)', async ({
  page,
  context,
  server,
}) => {
  const { contribution, admin, posts, key } = await openReview(server, ['linkedin', 'website']);
  const reader = server.client({ headers: { 'x-review-key': key } });
  await must(reader.rpc('review_answer', { post: posts[0]?.id, version: 1, answer: 'approve' }));
  await must(admin.rpc('desk_post_move', { id: posts[1]?.id, version: 1, state: 'draft' }));
  await toDesk(page, server, `/admin/eingang/${contribution}?ansicht=posts`);
  const approved = await field(page).inputValue();
  await expect(page.getByText('Speichern macht daraus wieder einen Entwurf.', { exact: false })).toBeVisible();
  await field(page).fill('Das hat niemand gelesen.');
  const list = page.getByRole('list', { name: 'Posts dieses Beitrags' });
  await list.getByRole('button', { name: /^Website/ }).click();
  await expect(page.getByText('Speichern macht daraus wieder einen Entwurf.', { exact: false })).toHaveCount(0);
  await field(page).fill('Das ist nicht gespeichert.');
  await page.reload();
  await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
  const send = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
  await expect(send.getByText('Website: Es gibt Ungespeichertes.')).toBeVisible();
  await expect(send.getByRole('button', { name: '0 Posts senden' })).toBeDisabled();
  await send.getByRole('button', { name: 'Abbrechen' }).click();

  await expect(field(page)).toHaveValue('Das hat niemand gelesen.');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Freigegebenen Text kopieren' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(approved);
  await page.getByRole('button', { name: 'Veröffentlicht' }).click();
  const publish = page.getByRole('dialog', { name: 'Wo steht der Post?' });
  await expect(publish.getByText('Im Feld steht Ungespeichertes')).toBeVisible();
  await expectAccessible(page);
  await publish.getByLabel(/^Adresse/).fill('https://www.linkedin.com/posts/1');
  await publish.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(page.getByText('Dieser Text steht im Kanal.', { exact: false })).toBeVisible();
  await expect(field(page)).toHaveValue(approved);
  await expect(page.getByText('Das hat niemand gelesen.')).toHaveCount(0);
});
