import { randomUUID } from 'node:crypto';
import { createUser } from '#tests/support/accounts.ts';
import { contribute } from '#tests/support/desk.ts';
import { manyContributions } from '#tests/support/factories.ts';
import { expect, installClock, test } from './application.ts';
import { HOSTILE, getRows, openInbox, toDesk, toInbox } from './desk.ts';
import { expectAccessible } from './findings.ts';

// New ones are counted: nobody else's rows.
test.use({ apart: 'desk', viewport: { width: 1280, height: 900 } });

/** A word that is in this test's contributions only. */
const someWord = (): string => `wort${randomUUID().replaceAll(/[^a-f]/g, '')}`;

test('Desk: leads from /admin to the list, renders input as text, keeps filters in the address and loads further pages, also on a phone', async ({
  page,
  server,
}) => {
  test.slow();
  const [hostile, many, phone] = [someWord(), someWord(), someWord()];
  await contribute(server, {
    firstName: HOSTILE.name,
    email: 'x@beispiel.test',
    transcript: `${HOSTILE.transcript} ${hostile}`,
  });
  await contribute(server, { transcript: `Noch nicht fertig: ${hostile}` });
  await manyContributions(server.databaseUrl, { count: 60, transcript: `Bericht ${many}` });
  await contribute(server, {
    lastName: 'Zuse',
    email: 'p@beispiel.test',
    transcript: phone,
    origin: { area: 'firma-b', kind: 'video' },
  });
  await toDesk(page, server);
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Eingang .*neue Beiträge$/ })
    .click();
  await expect(page).toHaveURL(/\/admin\/eingang$/);
  const search = page.getByRole('searchbox', { name: 'Suchen' });
  await search.fill(hostile);
  const rows = getRows(page);
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Unvollständig');
  await expect(rows.first().locator('mark')).toHaveText(hostile);
  await expect(rows.last()).toContainText(HOSTILE.name);
  await expect(rows.last()).toContainText('<b>Prüfmaschine</b>');
  await expectAccessible(page);

  await search.fill(many);
  await search.press('Enter');
  await expect(page).toHaveURL(`/admin/eingang?suche=${many}`);
  await expect(rows).toHaveCount(50);
  await page.getByRole('button', { name: 'Mehr laden' }).click();
  await expect(rows).toHaveCount(60);
  await expect(page.getByText('60 Beiträge angezeigt')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Firma A' }).check();
  await expect(rows).toHaveCount(15);
  await page.getByRole('navigation', { name: 'Nach Status' }).getByRole('link', { name: /^Neu/ }).click();
  await page.getByLabel('Kontaktdaten').selectOption({ label: 'Unvollständig' });
  await expect(page).toHaveURL(`/admin/eingang?suche=${many}&bereich=firma-a&status=neu&kontakt=fehlt`);
  await expect(page.getByText('Nichts gefunden')).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`/admin/eingang?suche=${many}&bereich=firma-a`);
  await expect(rows).toHaveCount(15);
  await page.goForward();
  await expect(page).toHaveURL(`/admin/eingang?suche=${many}&bereich=firma-a&status=neu`);
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Firma A' })).toBeChecked();
  await expect(search).toHaveValue(many);
  await expect(rows).toHaveCount(15);

  // On a phone the filters are a sheet.
  await openInbox(page, `?suche=${phone}`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Filter' });
  await sheet.getByRole('checkbox', { name: 'Video' }).check();
  await expectAccessible(page);
  await sheet.getByRole('button', { name: 'Beiträge anzeigen' }).click();
  await expect(page.getByRole('button', { name: 'Filter (1)' })).toBeVisible();
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Filter entfernen: Video' }).click();
  await expect(page).toHaveURL(`/admin/eingang?suche=${phone}`);
  await expectAccessible(page);
});

test('Desk: works the list by keyboard, returns to the opened row, and shows new contributions on demand', async ({
  page,
  server,
}) => {
  const word = someWord();
  for (const lastName of ['Noether', 'Hopper', 'Lovelace'])
    await contribute(server, { lastName, email: 'p@beispiel.test', transcript: word });
  await installClock(page);
  await toInbox(page, server);
  await page.keyboard.press('/');
  await page.keyboard.type(word);
  // The list may have the same three rows before the search answers; their links lead back to the list without it.
  await expect(getRows(page).locator('mark')).toHaveText([word, word, word]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'Lovelace' })).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hopper');
  await page.keyboard.press('j');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Noether');
  await page.keyboard.press('k');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hopper');
  await page.keyboard.press('u');
  await expect(page).toHaveURL(`/admin/eingang?suche=${word}`);
  await expect(page.getByRole('link', { name: 'Hopper' })).toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Tastenkürzel' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(`/admin/eingang?suche=${word}`);

  const contributor = await createUser(server, { role: 'firma_b' });
  await contributor.client.from('interviews').insert({ transcript: `Ganz neu: ${word}` });
  const notice = page.getByRole('status').getByRole('button', { name: '1 neuen Beitrag anzeigen' });
  await page.clock.fastForward(15_000);
  await expect(notice).toBeVisible();
  await expect(getRows(page)).toHaveCount(3);
  await notice.click();
  await expect(getRows(page).first()).toContainText('Ganz neu');
});

test.describe('west of UTC', () => {
  test.use({ timezoneId: 'America/New_York' });

  test('Desk: a typed day filters once, and its chip names that day', async ({ page, server }) => {
    await toInbox(page, server);
    const before = await page.evaluate(() => history.length);
    const field = page.getByLabel('Eingegangen ab');
    // The field of the browser has the order of its own language: month, day, year.
    await field.pressSequentially('11252026');
    await expect(page).toHaveURL(/\?von=2026-11-25$/);
    await expect(page.getByRole('button', { name: 'Filter entfernen: ab 25.11.2026' })).toBeVisible();
    expect(await page.evaluate(() => history.length)).toBe(before + 1);
    await field.press('ArrowUp');
    await expect(page).toHaveURL(/\?von=2027-11-25$/);
    expect(await page.evaluate(() => history.length)).toBe(before + 1);
    await page.goBack();
    await expect(page).toHaveURL(/\/admin\/eingang$/);
    await expect(field).toHaveValue('');
  });
});
