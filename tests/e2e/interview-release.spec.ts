import { test } from './broken-line.ts';
import { endings, expectReleasedBy, microphones } from './endings.ts';
import { expect, openInterview, said, startInterview, write } from './interview.ts';

test.beforeEach(async ({ loginAs }) => void (await loginAs('vdi_admin')));

test('Every ending lets go of the microphone in the same task (§4)', async ({ page, line }) => {
  const again = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
    await expect.poll(() => microphones(page)).toContain('live');
  };
  await openInterview(page);
  await startInterview(page);
  await write(page, 'Wir bauen eine Halle.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectReleasedBy(page, 'click Interview beenden');

  await again('Interview wiederholen');
  await write(page, 'Ich möchte jetzt aufhören.');
  await expect(page.getByRole('button', { name: 'Interview wiederholen' })).toBeVisible();
  await expectReleasedBy(page, 'end_call');

  await again('Interview wiederholen');
  line.cut();
  await expect(page.getByText('Verbindungsfehler. Bitte versuchen Sie es erneut.')).toBeVisible();
  await expectReleasedBy(page, 'close 1006');

  await again('Erneut versuchen');
  await page.getByRole('button', { name: 'Ton und Mikrofon' }).click();
  const before = (await microphones(page)).length;
  await page.getByRole('combobox', { name: 'Mikrofon' }).selectOption({ index: 1 });
  await expect.poll(async () => (await microphones(page)).length).toBeGreaterThan(before);
  await page.getByRole('link', { name: /Social-Media-Content-Assistent/ }).click();
  await page.getByRole('button', { name: 'Trotzdem gehen' }).click();
  await expect(page).toHaveURL('/');
  await expectReleasedBy(page, 'screen gone');

  await openInterview(page, '/interview/free-topic');
  line.hangNext();
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect.poll(() => microphones(page)).toContain('live');
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await expectReleasedBy(page, 'click Abbrechen');
  for (const { ms } of await endings(page)) expect(ms).toBeLessThan(500);
});

test('A page that is left lets go before it is gone (§4)', async ({ page }) => {
  page.on('dialog', (dialog) => void dialog.accept());
  await openInterview(page);
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
});

test('An upgrade that hangs: after 15 s an error, the microphone released in the same task (§4)', async ({
  page,
  line,
}) => {
  await page.clock.install();
  await openInterview(page);
  line.hangNext();
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect.poll(() => microphones(page)).toContain('live');
  // The installed clock runs on by itself, too: far enough from the end for a slow machine.
  await page.clock.runFor(8_000);
  const progress = page.getByRole('progressbar', { name: 'Verbindung wird aufgebaut' });
  expect(Number(await progress.getAttribute('value'))).toBeLessThanOrEqual(90);
  await expect(page.getByRole('button', { name: 'Verbinde...' })).toBeDisabled();
  await page.clock.runFor(7_100);
  await expect(page.getByText('Verbindungsfehler. Bitte versuchen Sie es erneut.')).toBeVisible();
  await expectReleasedBy(page, 'time-out');
});
