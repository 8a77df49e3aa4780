import type { Page } from '@playwright/test';
import { DeskPostsSchema } from '#contract/posts.ts';
import { createUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { must } from '#tests/support/desk-calls.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { expect, test } from './application.ts';
import { richContribution, toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { picture } from './pictures.ts';

test.use({ apart: 'desk-posts', viewport: { width: 1440, height: 900 } });

const field = (page: Page) => page.getByLabel('Text', { exact: true });

async function addPost(page: Page, channel: string): Promise<void> {
  await page.getByRole('button', { name: 'Post anlegen' }).click();
  await page.getByRole('menuitem', { name: channel }).click();
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

test('The team writes a post, sees what it rests on and sends it for review; pictures are put in order with pointer and keyboard (posts)', async ({
  page,
  server,
}) => {
  test.slow();
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
  await save(page);
  await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
  const dialog = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
  await expect(dialog.getByText('LinkedIn: Ein Alternativtext fehlt.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: '0 Posts senden' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Abbrechen' }).click();
  await orderPictures(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'desk-posts');

  await page.setViewportSize({ width: 390, height: 900 });
  await expectAccessible(page);
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
  const { id: post, version } = data.posts[0];
  await must(reader.rpc('review_answer', { post, version, answer: 'change', comment: 'Es war Halle 3.' }));
  await page.reload();
  await expect(page.getByText('Es war Halle 3.')).toBeVisible();
  await expect(page.getByText('Änderung gewünscht').first()).toBeVisible();
  await must(reader.rpc('review_answer', { post, version, answer: 'approve' }));
  await page.reload();
  await expect(page.getByText('1 von 1 freigegeben')).toBeVisible();
  await page.getByRole('button', { name: 'Veröffentlicht' }).click();
  const publish = page.getByRole('dialog', { name: 'Wo steht der Post?' });
  await publish.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(publish.getByText('Bitte trag die Adresse ein.')).toBeVisible();
  await expectAccessible(page);
  await publish.getByLabel(/^Adresse/).fill('https://www.linkedin.com/posts/1');
  await publish.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(page.getByRole('link', { name: 'https://www.linkedin.com/posts/1' })).toBeVisible();
  await expect(field(page)).not.toBeEditable();
  await must(reader.rpc('review_withdraw', { post, comment: 'Ich habe die Firma gewechselt.' }));
  await page.reload();
  await expect(page.getByText('Bitte aus dem Kanal nehmen')).toBeVisible();
  await expect(page.getByText('Ich habe die Firma gewechselt.')).toBeVisible();
  await expectAccessible(page);
});

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
}

/** The first picture before the second one and back, until it is left out again. */
async function orderPictures(page: Page): Promise<void> {
  const preview = page.locator('section').filter({ has: page.getByRole('heading', { name: /^So sieht es / }) });
  const rows = page.getByRole('list', { name: 'Bilder' }).getByRole('listitem');
  await page.getByLabel('Alternativtext von Bild 2 (PNG)').fill('Die Prüfmaschine neben der Drehbank');
  await page.getByRole('checkbox', { name: 'Bild 1 (PNG) verwenden' }).check();
  const alt = page.getByLabel('Alternativtext von Bild 1 (PNG)');
  await alt.fill('Ansicht 1');
  await expect(preview.getByRole('img')).toHaveCount(2);
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Die Prüfmaschine neben der Drehbank');

  await rows.nth(1).locator('img').dragTo(rows.nth(0));
  await expect(page.getByText('Bild 1 (PNG) steht jetzt an Stelle 1.')).toBeAttached();
  await expect(rows.nth(0)).toContainText('Bild 1 (PNG)');
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Ansicht 1');
  await page.getByRole('button', { name: 'Bild 1 (PNG) nach hinten' }).press('Enter');
  await expect(rows.nth(0)).toContainText('Bild 2 (PNG)');
  await page.getByRole('button', { name: 'Bild 1 (PNG) nach vorn' }).press('Space');
  await save(page);
  await page.reload();
  await expect(rows.nth(0)).toContainText('Bild 1 (PNG)');
  await expect(preview.getByRole('img').first()).toHaveAccessibleName('Ansicht 1');
  // A text is selected with the pointer: its field is not dragged.
  await alt.dblclick({ position: { x: 30, y: 20 } });
  await page.keyboard.type('Blick');
  await expect(alt).toHaveValue(/^Blick/);
  await expectAccessible(page);
  await preview.scrollIntoViewIfNeeded();
  await picture(page, 'desk-posts-preview');
  await page.getByRole('checkbox', { name: 'Bild 1 (PNG) verwenden' }).uncheck();
  await save(page);
}

test('Two editors: both texts are shown, and nothing typed is lost (posts)', async ({ page, server }) => {
  const id = await richContribution(server);
  await toPosts(page, server, id);
  await addPost(page, 'Facebook');
  await field(page).fill('Die Prüfmaschine steht in Halle 3.');
  // Who presses it while the sentences are looked up must not miss it.
  const button = page.getByRole('button', { name: 'Speichern' });
  const findTop = () => button.evaluate((element) => element.getBoundingClientRect().top);
  const top = await findTop();
  await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();
  expect(await findTop()).toBe(top);
  await page.reload();
  await expect(field(page)).toHaveValue('Die Prüfmaschine steht in Halle 3.');
  await expect(page.getByText('Nicht gespeicherter Text von diesem Gerät')).toBeVisible();

  const { client: other } = await createUser(server, { role: 'admin' });
  const { posts } = DeskPostsSchema.parse(await must(other.rpc('desk_posts', { contribution: id })));
  const body = 'Die Prüfmaschine steht neben der Drehbank.';
  await must(other.rpc('desk_post_save', { id: posts[0]?.id, version: 1, body }));

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
