import { asOwner } from '#tests/support/callers.ts';
import { expect, openInterview, said, startInterview, test, write } from './interview.ts';
import { expectAccessible } from './findings.ts';

async function getTranscripts(databaseUrl: string, userId: string): Promise<(string | null)[]> {
  return asOwner(databaseUrl, async (client) => {
    const found = await client.query<{ transcript: string | null }>(
      'select transcript from public.interviews where user_id = $1 order by id',
      [userId],
    );
    return found.rows.map((row) => row.transcript);
  });
}

test('a reload in the middle: the interview is there again, and goes on in the same row', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  page.on('dialog', (dialog) => void dialog.accept());
  await openInterview(page);
  await startInterview(page);
  await write(page, 'Wir bauen gerade eine neue Halle.');
  await page.reload();
  await expect(page.getByText('Dein Interview ist noch nicht zu Ende.')).toBeVisible();
  await expect(said(page).filter({ hasText: 'neue Halle' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Weiter zum Bild-Upload' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Interview fortsetzen' }).click();
  await expect(said(page).filter({ hasText: 'Willkommen zurück!' })).toBeVisible();
  await write(page, 'Und zwölf Leute arbeiten daran.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect
    .poll(() => getTranscripts(server.databaseUrl, user.id))
    .toEqual([expect.stringMatching(/Du: Wir bauen gerade eine neue Halle\.[^]*Du: Und zwölf Leute arbeiten daran\./)]);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' })).toBeVisible();
});

test('A reload before the answer about the row has come goes on in that row (decision 0041)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  page.on('dialog', (dialog) => void dialog.accept());
  let made = false;
  await page.route('**/rest/v1/interviews?*', async (route) => {
    if (made || route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    made = true;
  });
  await openInterview(page);
  await startInterview(page);
  await expect.poll(() => made).toBe(true);
  await page.reload();
  await openInterview(page);
  await startInterview(page);
  await write(page, 'Wir bauen gerade eine neue Halle.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect
    .poll(() => getTranscripts(server.databaseUrl, user.id))
    .toEqual([expect.stringContaining('Du: Wir bauen gerade eine neue Halle.')]);
});
