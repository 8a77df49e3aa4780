import { asOwner } from '#tests/support/callers.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';
import { BANKS } from '#server/voice-agent/interviewer/banks.ts';
import {
  expect,
  expectReleased,
  microphones,
  openInterview,
  routeLines,
  said,
  SPOKEN,
  startInterview,
  test,
  write,
} from './interview.ts';
import { expectAccessible } from './findings.ts';

type Row = Readonly<{ id: string; transcript: string | null; completed_at: Date | null }>;

async function getRows(databaseUrl: string, userId: string): Promise<Row[]> {
  return asOwner(databaseUrl, async (client) => {
    const found = await client.query<Row>('select * from public.interviews where user_id = $1 order by id', [userId]);
    return found.rows;
  });
}

test('Notes that were scrolled lead to the top of the interview, and back to the top of the notes (§2.5)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/interview/behind-scenes');
  const title = page.getByRole('heading', { level: 1 });
  for (const [from, press, to] of [
    ['Bevor es losgeht', 'Ich habe die Hinweise gelesen', 'Ingenieurverband Content-Interview-Bot'],
    ['Ingenieurverband Content-Interview-Bot', 'Zurück', 'Bevor es losgeht'],
  ] as const) {
    await expect(title).toHaveText(from);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(title).not.toBeInViewport();
    await page.getByRole('button', { name: press }).click();
    await expect(title).toHaveText(to);
    await expect(title).toBeInViewport();
  }
});

test('Notes, interview, transcript: it hears, is heard, is ended by the user and saved once (§2.5)', async ({
  page,
  server,
  services,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  services.words.push(SPOKEN);
  const saved: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH' && request.url().includes('/rest/v1/interviews'))
      saved.push(request.postData() ?? '');
  });
  await openInterview(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ingenieurverband Content-Interview-Bot');
  await expect(page.getByText('Kein Transkript verfügbar')).toBeVisible();
  await expect(page.getByText(/erscheinen, sobald das Interview beendet ist/)).toBeVisible();
  expect(await microphones(page)).toEqual([]);
  await startInterview(page);
  await expect(said(page).first()).toContainText(BANKS['behind-scenes'].greeting);
  await expect(said(page).filter({ hasText: SPOKEN })).toContainText('Du', { timeout: 30_000 });
  await expect(said(page)).toHaveCount(3);
  expect(await microphones(page)).toContain('live');
  await expect(page.getByRole('button', { name: 'Bearbeiten' })).toBeDisabled();
  await page.getByRole('button', { name: 'Gute Frage' }).first().click();
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectReleased(page);
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();
  expect(saved).toHaveLength(1);

  const [row] = await getRows(server.databaseUrl, user.id);
  expect(row?.completed_at).not.toBeNull();
  expect(row?.transcript).toContain(`\n\nDu: ${SPOKEN}\n\nInterviewer: `);
  const stored = await storedInterview(server.backend.database, Number(row?.id));
  expect(stored.turns.map((turn) => turn.speaker).slice(0, 3)).toEqual(['agent', 'user', 'agent']);
  expect(stored.feedback).toEqual([expect.stringMatching(/: like$/)]);
  // The last piece may be the short rest at the end.
  expect(Math.max(...services.heard.map(({ seconds }) => seconds))).toBeGreaterThan(2);

  await page.getByRole('button', { name: 'Transkript bearbeiten' }).click();
  await expect(page).toHaveURL('/transcript-edit');
  await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue(row?.transcript ?? '');
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/image-upload-after-voice');
  expect(await getRows(server.databaseUrl, user.id)).toHaveLength(1);
});

test('The agent ends: typed answers beside the open microphone, the finished flag, repeat (§4)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('testnormec');
  await openInterview(page, '/testnormec/interview/behind-scenes');
  await startInterview(page);
  const answers = ['Eine neue Halle für Prüfstände mit viel Platz', 'Zwölf Leute aus drei Abteilungen sind dabei'];
  const closing = said(page).filter({ hasText: 'Das war meine letzte Frage' });
  for (let at = 0; at < 20 && (await closing.count()) === 0; at += 1) {
    const before = await said(page).count();
    await page.getByRole('textbox', { name: 'Antwort schreiben' }).fill(`${answers[at % 2] ?? ''} ${at}`);
    await page.keyboard.press('Enter');
    await expect(said(page)).toHaveCount(before + 2, { timeout: 15_000 });
    await page.waitForFunction(() => !document.body.innerText.includes('Der Interviewer spricht'));
  }
  await expect(page.getByRole('button', { name: 'Interview wiederholen' })).toBeVisible({ timeout: 15_000 });
  await expectReleased(page);
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();
  const [row] = await getRows(server.databaseUrl, user.id);
  expect(row?.completed_at).not.toBeNull();

  await page.getByRole('button', { name: 'Interview wiederholen' }).click();
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  // Nothing was said in the second one: the first transcript is still there.
  await expect(
    said(page)
      .filter({ hasText: answers[0] ?? '' })
      .first(),
  ).toBeVisible();
  await expectReleased(page);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/testnormec/image-upload-after-voice');
});

test('What is still being transcribed at the end is shown and saved once it is understood (§2.5)', async ({
  page,
  server,
  services,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  services.words.push(SPOKEN);
  const understood = Promise.withResolvers<void>();
  services.behaviour.transcription = { until: understood.promise };
  const before = services.heard.length;
  await openInterview(page);
  await startInterview(page);
  await expect.poll(() => services.heard.length).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();
  await expect(page.getByText(SPOKEN)).toHaveCount(0);
  understood.resolve();
  services.behaviour.transcription = 'works';
  await expect(page.getByText(SPOKEN)).toBeVisible();
  const transcript = () => getRows(server.databaseUrl, user.id).then((rows) => rows.at(-1)?.transcript);
  await expect.poll(transcript).toContain(`Du: ${SPOKEN}`);
});

test('Panel: copied, edited and saved with its toasts (§2.5)', async ({ page, server, loginAs }) => {
  const user = await loginAs('vdi_admin');
  await openInterview(page);
  await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
  await write(page, 'Wir bauen eine Halle.');
  expect(await microphones(page)).toEqual([]);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await page.getByRole('button', { name: 'Kopieren' }).click();
  await expect(page.getByText('In die Zwischenablage kopiert').first()).toBeVisible();
  await expect(page.getByText('Transkript wurde in die Zwischenablage kopiert.').first()).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Du: Wir bauen eine Halle.');
  await page.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
  const field = page.getByPlaceholder('Transkript bearbeiten...');
  await field.fill('');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Es gibt nichts zu speichern.').first()).toBeVisible();
  await field.fill('Du: Wir bauen zwei Hallen.');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Änderungen gespeichert').first()).toBeVisible();
  await expect(page.getByText('Transkript wurde erfolgreich aktualisiert.').first()).toBeVisible();
  await expect
    .poll(() => getRows(server.databaseUrl, user.id).then(([row]) => row?.transcript))
    .toBe('Du: Wir bauen zwei Hallen.');
});

test('Denied microphone: the error state, and the same interview by typing (§4)', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.addInitScript(() => {
    MediaDevices.prototype.getUserMedia = () =>
      Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
  });
  await openInterview(page);
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Verbindungsfehler. Bitte versuchen Sie es erneut.' }),
  ).toBeVisible();
  await expect(page.getByText(/Mikrofon-Zugriff wurde verweigert/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Erneut versuchen' })).toBeEnabled();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
  await write(page, 'Dann eben schriftlich.');
});

test('The line is cut: everything is kept, and the interview goes on (§4)', async ({ page, server, loginAs }) => {
  const user = await loginAs('vdi_admin');
  const lines = await routeLines(page);
  await openInterview(page);
  await startInterview(page);
  await write(page, 'Wir bauen gerade eine neue Halle.');
  await lines[0]?.close({ code: 1011, reason: 'cut' });
  await expect(page.getByText('Verbindungsfehler. Bitte versuchen Sie es erneut.')).toBeVisible();
  await expectReleased(page);
  await expect(said(page).filter({ hasText: 'neue Halle' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Weiter zum Bild-Upload' })).toBeVisible();
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Interview fortsetzen' }).click();
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
  await write(page, 'Und zwölf Leute arbeiten daran.');
  await expect(said(page).filter({ hasText: 'neue Halle' })).toBeVisible();
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectReleased(page);
  await expect
    .poll(() => getRows(server.databaseUrl, user.id).then((rows) => rows.map((row) => row.transcript)))
    .toEqual([expect.stringMatching(/Du: Wir bauen gerade eine neue Halle\.[^]*Du: Und zwölf Leute arbeiten daran\./)]);
});

test('Without a database the interview has a local id, with a notice (§4)', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.route('**/rest/v1/interviews*', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  );
  await openInterview(page);
  await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
  await expect(page.getByText(/Es wird eine lokale Interview-ID verwendet/).first()).toBeVisible();
  await write(page, 'Bleibt hier.');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect(page.getByText('Es liegt nur lokal in diesem Browser.').first()).toBeVisible();
  const kept = await page.evaluate(() => [
    sessionStorage.getItem('currentInterviewId'),
    sessionStorage.getItem('latestTranscript'),
  ]);
  expect(kept).toEqual([
    expect.stringMatching(/^local_behind_scenes_\d+_/),
    expect.stringContaining('Du: Bleibt hier.'),
  ]);
});

test('leaving the screen in the middle releases the microphone and saves', async ({ page, server, loginAs }) => {
  const user = await loginAs('vdi_admin');
  await openInterview(page);
  await startInterview(page);
  await write(page, 'Kurz und knapp.');
  await page.getByRole('link', { name: /Social-Media-Content-Assistent/ }).click();
  await page.getByRole('button', { name: 'Trotzdem gehen' }).click();
  await expect(page).toHaveURL('/');
  await expectReleased(page);
  await expect
    .poll(() => getRows(server.databaseUrl, user.id).then(([row]) => row?.completed_at ?? null))
    .not.toBeNull();
});

test('axe: ready, running and ended, light and dark', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await openInterview(page);
  await expectAccessible(page);
  await startInterview(page);
  await write(page, 'Wir bauen eine Halle.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectAccessible(page);
});
