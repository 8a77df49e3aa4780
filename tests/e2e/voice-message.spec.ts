import { asOwner } from '#tests/support/callers.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

type Row = Readonly<{
  id: string;
  user_email: string;
  transcript: string;
  completed_at: Date | null;
  contact_first_name: string | null;
  contact_email: string | null;
}>;

test('From the microphone to the provider: record, transcribe, edit, add a picture, leave contact details (§2.6–§2.11)', async ({
  page,
  server,
  transcription,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await page.getByRole('link', { name: /Sprachnachricht/ }).click();
  await expect(page).toHaveURL('/voice-message');
  await record(page);
  await page.getByRole('button', { name: 'Weiter' }).click();

  await expect(page).toHaveURL('/transcript-edit');
  const editor = page.getByRole('textbox', { name: 'Transkript' });
  await expect(editor).toHaveValue(SPOKEN_TEXT);
  expect(transcription.calls()).toHaveLength(1);
  expect(transcription.calls()[0]).toMatchObject({ faults: [], fields: { model: 'whisper-1', language: 'de' } });
  await editor.fill(`${SPOKEN_TEXT} Sie heißt Mira.`);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();

  await expect(page).toHaveURL('/image-upload-after-voice');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Hochladen' }).click();

  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByRole('heading', { name: 'Vielen Dank für deinen Beitrag!' })).toBeVisible();
  await leaveContact(page);
  await expectToast(page, 'Erfolgreich', 'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.');
  await expect(page).toHaveURL('/');

  const { rows, media, objects } = await asOwner(server.databaseUrl, async (client) => ({
    rows: (await client.query<Row>('select * from public.interviews where user_id = $1', [user.id])).rows,
    media: (
      await client.query(
        `select m.* from public.media_uploads m join public.interviews i on i.id = m.interview_id where i.user_id = $1
          order by m.id`,
        [user.id],
      )
    ).rows,
    objects: (await client.query('select name from storage.objects where owner_id = $1', [user.id])).rows,
  }));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    user_email: user.email,
    transcript: `${SPOKEN_TEXT} Sie heißt Mira.`,
    contact_first_name: 'Ada',
    contact_email: 'ada@beispiel.test',
  });
  expect(rows[0]?.completed_at).not.toBeNull();
  expect(media.map((row) => row.file_type)).toEqual(['text/plain', 'image/png']);
  expect(new Set(objects.map((row) => row.name))).toEqual(new Set(media.map((row) => row.file_path)));
});

test('Without transcription the recording is kept: on without, back to what is there, and a second one joins it (D21, decision 0372)', async ({
  page,
  server,
  transcription,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin', '/voice-message');
  transcription.behave({ kind: 'answer', status: 500, body: '{"error":{"message":"kaputt"}}' });
  const handIn = async () => {
    await record(page, 1);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expectToast(page, 'Fehler bei der Transkription');
    await expect(page).toHaveURL('/voice-message');
    await page.getByRole('button', { name: 'Ohne Transkript weiter' }).click();
    await expect(page).toHaveURL('/transcript-edit');
  };
  const editor = page.getByRole('textbox', { name: 'Transkript' });
  await handIn();
  await page.getByRole('button', { name: 'Zurück', exact: true }).click();
  await expect(page.getByText('Deine Aufnahme ist schon bei uns')).toBeVisible();
  await page.getByRole('button', { name: 'Text dazu schreiben' }).click();
  await editor.fill('Von Hand geschrieben');
  await page.getByRole('button', { name: 'Zurück', exact: true }).click();
  await expect(page.getByText('Zu deinem Beitrag gibt es schon einen Text')).toBeVisible();
  await handIn();
  await expect(editor).toHaveValue('Von Hand geschrieben');
  const { interviews, media } = await getStored(server, user);
  expect(interviews).toHaveLength(1);
  expect(media.map((file) => file.file_type.split('/')[0])).toEqual(['audio', 'audio']);
});

test('Test area: record, upload and transcribe on one screen, and back to its text (§2.6, decision 0372)', async ({
  page,
  loginAs,
}) => {
  await loginAs('testnormec');
  await expect(page).toHaveURL('/testnormec');
  await page.getByRole('link', { name: /Sprachnachricht/ }).click();
  await expect(page).toHaveURL('/testnormec/voice-message');
  await record(page, 1);
  await expect(page.getByRole('button', { name: 'Abspielen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Neue Aufnahme' })).toBeVisible();
  await page.getByRole('button', { name: 'Hochladen & Transkribieren' }).click();
  await expect(page).toHaveURL('/testnormec/transcript-edit');
  await page.getByRole('button', { name: 'Zurück', exact: true }).click();
  await expect(page.getByText(SPOKEN_TEXT)).toBeVisible();
  await page.getByRole('button', { name: 'Zum Transkript' }).click();
  await expect(page).toHaveURL('/testnormec/transcript-edit');
  await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue(SPOKEN_TEXT);
});
