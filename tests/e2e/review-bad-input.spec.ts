import { REVIEW_COMMENT_MAX } from '#contract/review.ts';
import { deskApi, must } from '#tests/support/desk-calls.ts';
import { createUser } from '#tests/support/accounts.ts';
import { expect, test } from './application.ts';
import { toDesk } from './desk.ts';
import { getAnswers, getCard, openReview } from './review.ts';

/** What happens to a review while it is open, and words that are no words (posts). */
test.use({ apart: 'review-bad-input' });

test('A contribution erased while its review is open: the next press says that the link is dead (posts)', async ({
  page,
  server,
}) => {
  const review = await openReview(server, ['linkedin']);
  await page.goto(review.link);
  const card = getCard(page, 'LinkedIn');
  await card.getByRole('button', { name: 'Bitte ändern' }).click();
  await card.getByRole('textbox').fill('Bitte kürzer.');
  const desk = await deskApi(server.url, await createUser(server, { role: 'admin' }));
  await expect
    .poll(async () => (await desk('POST', '/v1/desk/erasures', { contribution: review.contribution })).status)
    .toBe(200);
  await card.getByRole('button', { name: 'Änderung senden' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dieser Link gilt nicht mehr');
  await expect(page.getByRole('main')).not.toContainText('Prüfmaschine');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dieser Link gilt nicht mehr');
});

test('HTML and marks that turn the direction are shown as text, on the page and at the desk (posts)', async ({
  page,
  server,
}) => {
  const hostile = '<img src=x onerror="document.title=1"><b>fett</b> \u202Ekcor\u202C =1+1';
  const review = await openReview(server, ['linkedin']);
  await page.goto(review.link);
  const card = getCard(page, 'LinkedIn');
  await card.getByRole('button', { name: 'Bitte ändern' }).click();
  await expect(card.getByRole('textbox')).toHaveAttribute('maxlength', String(REVIEW_COMMENT_MAX));
  await card.getByRole('textbox').fill(hostile);
  await card.getByRole('button', { name: 'Änderung senden' }).click();
  await expect(card).toContainText('Dein Wunsch ist beim Team');
  await expect(card.getByText(hostile)).toBeVisible();
  expect(await getAnswers(server, review.contribution)).toEqual([['linkedin', 'change', hostile]]);
  await toDesk(page, server, `/admin/eingang/${review.contribution}?ansicht=posts`);
  await expect(page.getByText(hostile)).toBeVisible();
  await expect(page).not.toHaveTitle('1');
});

test('A picture erased while the review is open is left out, and the answer counts (posts)', async ({
  page,
  server,
}) => {
  const review = await openReview(server, ['linkedin']);
  const uploads = review.posts[0]?.current.pictures.map(({ upload }) => upload) ?? [];
  await page.goto(review.link);
  const card = getCard(page, 'LinkedIn');
  await expect(card.getByRole('img')).toHaveCount(2);
  await must(server.service().from('media_uploads').delete().eq('id', uploads[0]));
  await page.reload();
  await expect(card.getByRole('img')).toHaveCount(1);
  await must(
    server
      .service()
      .storage.from('Media')
      .remove([`${review.contribution}/maschine.png`]),
  );
  await page.reload();
  await expect(card.getByText('Jedes Bauteil in unter zwei Sekunden gemessen', { exact: false }).first()).toBeVisible();
  await card.getByRole('button', { name: 'Passt so' }).click();
  await expect(card).toContainText('Du hast Ja gesagt');
  expect(await getAnswers(server, review.contribution)).toEqual([['linkedin', 'approve', '']]);
});
