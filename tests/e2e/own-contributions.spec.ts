import { expect, test } from './application.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { contribute, type ContributionFacts } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';
import { storeFile } from './desk.ts';
import { COLOURS, findings } from './findings.ts';
import { picture } from './pictures.ts';

test.use({ apart: 'own contributions' });

/** One in each state, oldest first, and one of somebody else. */
async function contributeAll(
  server: TestServer,
  { id: userId, email }: TestUser,
): Promise<Readonly<Record<string, number>>> {
  const { client: admin } = await createUser(server, { role: 'admin' });
  const make = (day: number, facts: ContributionFacts = {}) =>
    contribute(server, {
      userId,
      userEmail: email,
      createdAt: `2026-11-0${day}T10:00:00Z`,
      origin: { area: 'firma-a', kind: 'voice_message' },
      email: 'ada@beispiel.test',
      ...facts,
    });
  await contribute(server, { userEmail: 'fremd@beispiel.test', origin: { area: 'generic', kind: 'video' } });
  const received = await make(1, { origin: { area: 'firma-a', kind: 'document' } });
  await storeFile(server, received, { path: 'bericht.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n') });
  const working = await make(2, { origin: { area: 'firma-a', kind: 'image' } });
  await addPost(admin, working, 'Entwurf');
  const published = await make(3, { origin: { area: 'firma-a', kind: 'video' } });
  const done = await addPost(admin, published, 'Fertig');
  const { reader } = await sendForReview(server, admin, published, [done]);
  await must(reader.rpc('review_answer', { post: done.id, version: 1, answer: 'approve' }));
  const url = 'https://example.org/beitrag';
  await must(admin.rpc('desk_post_move', { id: done.id, version: 1, state: 'published', url }));
  const interview = { origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' } };
  const waiting = await make(4, { ...interview, transcript: 'Du: Die Pumpe läuft.' });
  await sendForReview(server, admin, waiting, [await addPost(admin, waiting, 'Die Pumpe läuft.')]);
  const unfinished = await make(5, { transcript: 'Du: Fast fertig.' });
  await asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set contact_email = null where id = $1', [unfinished]),
  );
  return { received, working, published, waiting, unfinished };
}

test('A member sees where each own contribution stands, and goes on with it (posts)', async ({
  page,
  server,
  loginAs,
}) => {
  const member = await loginAs('firma_a');
  await page.getByRole('link', { name: 'Meine Beiträge ansehen' }).click();
  await page.getByRole('link', { name: 'Ersten Beitrag einreichen' }).click();
  await expect(page).toHaveURL('/firma-a');
  const ids = await contributeAll(server, member);
  await page.getByRole('link', { name: 'Meine Beiträge', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Meine Beiträge');
  const rows = page.getByRole('list', { name: 'Meine Beiträge' }).locator('> li');
  await expect(rows).toHaveCount(5);
  for (const [place, words] of [
    ['Sprachnachricht', 'Nicht abgeschlossen'],
    ['Interview', 'Wartet auf dich'],
    ['Video', 'Veröffentlicht'],
    ['Bild', 'In Arbeit'],
    ['Dokument', 'Eingegangen'],
  ].entries()) {
    for (const word of words) await expect(rows.nth(place)).toContainText(word);
  }
  await expect(rows.nth(1)).toContainText('Technik im Detail · 04.11.2026');
  await expect(rows.nth(2).getByRole('link', { name: 'Post auf LinkedIn ansehen' })).toHaveAttribute(
    'href',
    'https://example.org/beitrag',
  );
  await rows.nth(1).getByRole('button', { name: 'Neuen Link schicken' }).click();
  await expect(rows.nth(1)).toContainText('kein Mailversand');
  await rows.nth(1).getByRole('button', { name: 'Dateien und Transkript' }).press('Enter');
  await expect(rows.nth(1).getByRole('region', { name: 'Transkript' })).toHaveText('Du: Die Pumpe läuft.');
  await rows.nth(4).getByRole('button', { name: 'Dateien und Transkript' }).press('Space');
  await expect(rows.nth(4).getByRole('link', { name: 'bericht.pdf öffnen' })).toHaveAttribute(
    'href',
    /\/object\/sign\//,
  );
  await expect.poll(() => findings(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => findings(page, COLOURS), 'dark').toEqual([]);
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'own-contributions');
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await rows.nth(0).getByRole('button', { name: 'Weitermachen' }).click();
  await expect(page).toHaveURL('/firma-a/thank-you');
  await expect(page.getByRole('main')).toContainText(`Content-ID: ${ids['unfinished']}`);
  await expect(page.getByRole('main')).toContainText('Fast fertig.');
});
