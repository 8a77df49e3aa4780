import { asOwner } from '#tests/support/callers.ts';
import { expect, microphones, openInterview, said, startInterview, test, write } from './interview.ts';
import { expectAccessible } from './findings.ts';
import { leaveContact, PICTURE } from './voice-message.ts';

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
  await expectAccessible(page);
  await startInterview(page);
  await write(page, 'Wir bauen gerade eine neue Halle.');
  const field = page.getByRole('textbox', { name: 'Antwort schreiben' });
  await field.fill('Und im Mai');
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByText('Dein Interview ist noch nicht zu Ende.')).toBeVisible();
  await expect(said(page).filter({ hasText: 'neue Halle' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Weiter zum Bild-Upload' })).toBeVisible();
  await expect(page.getByText('Deine letzte Antwort ist noch nicht angekommen.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Noch nicht angekommen' })).toHaveValue('Und im Mai');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Interview fortsetzen' }).click();
  await expect(said(page).filter({ hasText: 'Willkommen zurück!' })).toBeVisible();
  await expect(field).toHaveValue('Und im Mai');
  await write(page, 'Und zwölf Leute arbeiten daran.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect
    .poll(() => getTranscripts(server.databaseUrl, user.id))
    .toEqual([expect.stringMatching(/Du: Wir bauen gerade eine neue Halle\.[^]*Du: Und zwölf Leute arbeiten daran\./)]);
});

test('An ended interview is there after back, forward and a reload, until it is handed in (decision 0363)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  page.on('dialog', (dialog) => void dialog.accept());
  const expectEnded = async (): Promise<void> => {
    await expect(page.getByText('Das Interview ist beendet')).toBeVisible();
    await expect(said(page).filter({ hasText: 'neue Halle' })).toBeVisible();
  };
  await openInterview(page);
  await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
  await write(page, 'Wir bauen gerade eine neue Halle.');
  expect(await microphones(page)).toEqual([]);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' }).click();
  await expectEnded();
  await page.reload();
  await expectEnded();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
  await page.getByPlaceholder('Transkript bearbeiten...').fill('Du: Eine neue Halle in Bremen.');
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/image-upload-after-voice');
  expect(await getTranscripts(server.databaseUrl, user.id)).toEqual(['Du: Eine neue Halle in Bremen.']);
  await page.goBack();
  await expect(said(page)).toHaveText([/Eine neue Halle in Bremen\./]);
  await page.getByRole('button', { name: 'Transkript bearbeiten' }).click();
  await page.getByRole('textbox', { name: 'Transkript' }).fill('Du: Eine neue Halle in Kiel.');
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await expect(page.getByText('Schritt 4 von 6')).toBeVisible();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await expect(page.getByText('Schritt 3 von 6')).toBeVisible();
  await expect(said(page)).toHaveText([/Eine neue Halle in Kiel\./]);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await page.getByRole('button', { name: 'Überspringen' }).click();
  await leaveContact(page);
  await expect(page).toHaveURL('/');
  await page.goto('/interview/behind-scenes');
  await expect(page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' })).toBeVisible();
});

test('A picture described in an interview that was left: shown again, submitted only complete (§2.9)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/image-upload');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByRole('button', { name: /Sprachinterview/ }).click();
  const handIn = page.getByRole('button', { name: 'Absenden' });
  await expect(handIn).toBeDisabled();
  await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
  await write(page, 'Ein Kran in Bremen.');
  await expect(handIn).toBeDisabled();
  await page.getByRole('button', { name: 'Zurück' }).click();
  await page.getByRole('button', { name: 'Trotzdem gehen' }).click();
  await page.getByRole('button', { name: /Sprachinterview/ }).click();
  await expect(said(page).filter({ hasText: 'Ein Kran in Bremen.' })).toBeVisible();
  await expect(page.getByText('Das Interview ist beendet')).toBeVisible();
  await expect(handIn).toBeEnabled();
  await page.getByRole('button', { name: 'Interview wiederholen' }).click();
  await write(page, 'Ein Kran in Hamburg.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect(said(page).filter({ hasText: 'Ein Kran in Hamburg.' })).toBeVisible();
  await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
  await page.getByPlaceholder('Transkript bearbeiten...').fill('Du: Ein Kran in Kiel.');
  const sent = page.waitForRequest((request) => request.postData()?.includes('Ein Kran in Kiel.') === true);
  await handIn.click();
  await sent;
  await expect(page).toHaveURL('/thank-you');
});
