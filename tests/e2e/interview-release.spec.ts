import { asOwner } from '#tests/support/callers.ts';
import { installClock } from './application.ts';
import { test } from './broken-line.ts';
import { expectReleasedBy, microphones } from './endings.ts';
import { expect, openInterview, said, startInterview, write } from './interview.ts';
import { TEST_MS } from '#tests/support/time-limits.ts';

type Row = Readonly<{ transcript: string | null; completed: boolean }>;

async function getRows(databaseUrl: string, userId: string): Promise<Row[]> {
  return asOwner(databaseUrl, async (client) => {
    const found = await client.query<Row>(
      `select transcript, completed_at is not null as completed from public.interviews
       where user_id = $1 order by id`,
      [userId],
    );
    return found.rows;
  });
}

test('Every ending lets go of the microphone in the same task, and saves what was said (§4)', async ({
  page,
  line,
  server,
  loginAs,
}) => {
  const user = await loginAs('admin', '/testnormec');
  page.on('dialog', (dialog) => void dialog.accept());
  const rows = () => getRows(server.databaseUrl, user.id);
  const again = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
    await expect.poll(() => microphones(page)).toContain('live');
  };
  await openInterview(page, '/testnormec/interview/behind-scenes');
  await startInterview(page);
  await write(page, 'Wir bauen eine Halle.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.')).toBeVisible();
  await expectReleasedBy(page, 'click Interview beenden');

  await again('Interview wiederholen');
  await write(page, 'Ich möchte jetzt aufhören.');
  await expect(page.getByText('Auch das neu Gesagte ist gespeichert.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Interview wiederholen' })).toBeVisible();
  await expectReleasedBy(page, 'end_call');
  await expect
    .poll(rows)
    .toEqual([{ transcript: expect.stringContaining('Du: Ich möchte jetzt aufhören.'), completed: true }]);

  await again('Interview wiederholen');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  // Nothing was said in this one: the transcript of the one before is still there.
  await expect(said(page).filter({ hasText: 'Ich möchte jetzt aufhören.' })).toBeVisible();
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/testnormec/image-upload-after-voice');
  await page.goBack();

  await again('Interview wiederholen');
  line.cut();
  await expect(page.getByText('Verbindungsfehler. Bitte versuchen Sie es erneut.')).toBeVisible();
  await expectReleasedBy(page, 'close 1006');

  await again('Erneut versuchen');
  await page.getByRole('button', { name: 'Ton und Mikrofon' }).click();
  const before = (await microphones(page)).length;
  await page.getByRole('combobox', { name: 'Mikrofon' }).selectOption({ index: 1 });
  await expect.poll(async () => (await microphones(page)).length).toBeGreaterThan(before);
  await write(page, 'Kurz und knapp.');
  await page.getByRole('link', { name: /Social-Media-Content-Assistent/ }).click();
  await page.getByRole('button', { name: 'Trotzdem gehen' }).click();
  await expect(page).toHaveURL('/');
  await expectReleasedBy(page, 'screen gone');
  await expect.poll(async () => (await rows()).at(0)?.transcript).toContain('Du: Kurz und knapp.');

  await openInterview(page, '/interview/free-topic');
  line.hangNext();
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect.poll(() => microphones(page)).toContain('live');
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await expectReleasedBy(page, 'click Abbrechen');

  // A page that is left lets go before it is gone.
  await startInterview(page);
  await expect(said(page).first()).toBeVisible();
  await page.evaluate(() =>
    addEventListener('pagehide', () => {
      const tracks: MediaStreamTrack[] = Reflect.get(globalThis, 'microphones');
      localStorage.setItem('left', tracks.map((track) => track.readyState).join());
    }),
  );
  await page.goto('/impressum');
  expect(await page.evaluate(() => localStorage.getItem('left'))).toMatch(/^ended(,ended)*$/);

  // An upgrade that hangs ends after 15 s.
  await installClock(page);
  await openInterview(page, '/interview/tech-dive');
  // Frozen from here on; a time that is still to come whenever the test gets here.
  await page.clock.pauseAt(Date.now() + TEST_MS);
  line.hangNext();
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect.poll(() => microphones(page)).toContain('live');
  await page.clock.runFor(8_000);
  const progress = page.getByRole('progressbar', { name: 'Verbindung wird aufgebaut' });
  expect(Number(await progress.getAttribute('value'))).toBeLessThanOrEqual(90);
  await expect(page.getByRole('button', { name: 'Verbinde...' })).toBeDisabled();
  await page.clock.runFor(7_000);
  await expect(page.getByText('Verbindungsfehler. Bitte versuchen Sie es erneut.')).toBeVisible();
  await expectReleasedBy(page, 'time-out');
});
