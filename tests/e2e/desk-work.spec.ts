import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { contribute, look } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';

test.use({ apart: 'desk-work', viewport: { width: 1280, height: 900 } });

const someWord = (): string => `wort${randomUUID().replaceAll(/[^a-f]/g, '')}`;
const history = (page: Page) => page.getByRole('list', { name: 'Verlauf' }).getByRole('listitem');

test('Desk: takes a contribution from new to published; a note and a message wait on the device until they are sent (decision 0369)', async ({
  page,
  server,
}) => {
  const id = await contribute(server, {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@beispiel.test',
    transcript: 'Text',
  });
  const admin = await toDesk(page, server, `/admin/eingang/${id}`);
  await page.getByRole('button', { name: 'Mir zuweisen' }).click();
  await expect(page.getByLabel('In Bearbeitung bei')).toHaveValue(admin.id);
  await page.getByRole('button', { name: 'In Arbeit nehmen' }).click();
  // The reload below would break off what has not arrived.
  await expect(history(page).filter({ hasText: 'Neu → In Arbeit' })).toBeVisible();
  const note = page.getByLabel('Interne Notiz');
  await note.fill('Rückfrage zum <b>Bild</b>');
  await expect(page.getByText('Auf diesem Gerät gesichert, noch nicht gespeichert.')).toBeVisible();
  await page.getByRole('link', { name: /^Posts/ }).click();
  await page.getByRole('link', { name: 'Material' }).click();
  await expect(note).toHaveValue('Rückfrage zum <b>Bild</b>');
  await page.reload();
  await expect(note).toHaveValue('Rückfrage zum <b>Bild</b>');
  await page.getByRole('button', { name: 'Notiz speichern' }).click();
  await expect(history(page).first()).toContainText('Rückfrage zum <b>Bild</b>');
  await page.reload();
  await expect(note).toHaveValue('');

  const begin = page.getByRole('button', { name: 'Nachricht zur Freigabe schreiben' });
  const mail = page.getByRole('dialog', { name: 'Nachricht zur Freigabe' });
  const message = mail.getByLabel('Nachricht');
  await begin.click();
  await expect(message).toHaveValue(/^Hallo Ada Lovelace,/);
  await message.fill('Liebe Ada, hier ist der Entwurf.');
  await page.mouse.click(5, 5);
  await expect(mail).toHaveCount(0);
  await begin.click();
  await expect(message).toHaveValue('Liebe Ada, hier ist der Entwurf.');
  await expectAccessible(page);
  await mail.getByRole('button', { name: 'Zur Vorlage zurück' }).click();
  await expect(message).toHaveValue(/^Hallo Ada Lovelace,/);
  await expect(message).toBeFocused();
  await message.fill('Hallo Ada,\n\nhier ist der Entwurf: https://entwurf.example/1');
  await mail.getByRole('button', { name: 'Senden und Status ändern' }).click();
  await expect(mail).toHaveCount(0);
  await page.getByRole('button', { name: 'Veröffentlichen' }).click();
  const link = page.getByRole('dialog', { name: 'Veröffentlicht' });
  await link.getByLabel(/^Link/).fill('https://verband.example/beitrag/1');
  await link.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(page.getByRole('link', { name: 'https://verband.example/beitrag/1' })).toBeVisible();
  await expect(history(page).filter({ hasText: `Zur Freigabe → Veröffentlicht` })).toContainText(admin.email);

  const stored = await look(admin.client, id);
  expect(stored).toMatchObject({
    state: 'published',
    publishedUrl: 'https://verband.example/beitrag/1',
    assignee: admin.id,
  });
  expect(stored.events.find(({ to }) => to === 'for_review')?.text).toContain('hier ist der Entwurf');
});

test('Desk: moves a card by dragging, menu and key; the board is as wide as the screen (findings U14)', async ({
  page,
  server,
}) => {
  const word = someWord();
  const [ada, emmy] = await Promise.all(
    ['Ada', 'Emmy'].map((firstName) => contribute(server, { firstName, email: 'p@beispiel.test', transcript: word })),
  );
  const admin = await toDesk(page, server, `/admin/eingang?suche=${word}`);
  await page.getByRole('link', { name: 'Tafel' }).click();
  await expect(page).toHaveURL(`/admin/eingang/tafel?suche=${word}`);
  const column = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(column('Neu').getByRole('listitem')).toHaveCount(2);
  await column('Neu').getByRole('listitem').filter({ hasText: 'Ada' }).dragTo(column('In Arbeit'));
  await expect(column('In Arbeit').getByRole('link', { name: 'Ada' })).toBeVisible();
  await column('Neu').getByRole('link', { name: 'Emmy' }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(column('In Arbeit').getByRole('link', { name: 'Emmy' })).toBeFocused();
  await expect(column('In Arbeit').getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Ada verschieben' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Abgelehnt' }).click();
  await expect(column('Abgelehnt').getByRole('link', { name: 'Ada' })).toBeFocused();
  await expectAccessible(page);
  expect([await look(admin.client, ada ?? 0), await look(admin.client, emmy ?? 0)].map(({ state }) => state)).toEqual([
    'rejected',
    'in_progress',
  ]);

  const columns = page.getByRole('region', { name: /^(Neu|In Arbeit|Zur Freigabe|Veröffentlicht|Abgelehnt)$/ });
  await expect(columns).toHaveCount(5);
  for (const width of [1_440, 1_920]) {
    await page.setViewportSize({ width, height: 900 });
    const boxes = await Promise.all((await columns.all()).map((one) => one.boundingBox()));
    const used = boxes.reduce((sum, box) => sum + (box?.width ?? 0), 0);
    expect(used / width).toBeGreaterThan(0.88);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
