import { asOwner } from '#tests/support/callers.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';
import { BANKS } from '#server/voice-agent/interviewer/banks.ts';
import { expect, expectReleased, microphones, said, SPOKEN, startInterview, test } from './interview.ts';

type Row = Readonly<{ id: string; transcript: string | null; completed_at: Date | null }>;

async function getRows(databaseUrl: string, userId: string): Promise<Row[]> {
  return asOwner(databaseUrl, async (client) => {
    const found = await client.query<Row>('select * from public.interviews where user_id = $1 order by id', [userId]);
    return found.rows;
  });
}

const LAST_WORDS = 'Dort prüfen wir Pumpen.';

test('Notes, interview, transcript, saved once, and what is still being transcribed at the end (§2.5)', async ({
  page,
  server,
  services,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin', '/interview/behind-scenes');
  services.words.push(SPOKEN);
  const saved: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH' && request.url().includes('/rest/v1/interviews'))
      saved.push(request.postData() ?? '');
  });
  const title = page.getByRole('heading', { level: 1 });
  // Notes that were scrolled lead to the top of the interview, and back to the top of the notes.
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
  await page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' }).click();
  await expect(page.getByRole('button', { name: 'Interview starten' })).toBeEnabled();
  await expect(page.getByText('Kein Transkript verfügbar')).toBeVisible();
  await expect(page.getByText(/erscheinen, sobald das Interview beendet ist/)).toBeVisible();
  expect(await microphones(page)).toEqual([]);
  await startInterview(page);
  await expect(said(page).first()).toContainText(BANKS['behind-scenes'].greeting);
  await expect(said(page).filter({ hasText: SPOKEN })).toContainText('Du');
  await expect(said(page)).toHaveCount(3);
  expect(await microphones(page)).toContain('live');
  await expect(page.getByRole('button', { name: 'Bearbeiten' })).toBeDisabled();
  await page.getByRole('button', { name: 'Gute Frage' }).first().click();

  const understood = Promise.withResolvers<void>();
  services.behaviour.transcription = { until: understood.promise };
  const before = services.heard.length;
  await expect.poll(() => services.heard.length).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectReleased(page);
  await expect(page.getByText('Das Transkript wurde erfolgreich gespeichert.').first()).toBeVisible();
  expect(saved).toHaveLength(1);
  await expect(page.getByText(LAST_WORDS)).toHaveCount(0);
  services.words.push(LAST_WORDS);
  understood.resolve();
  services.behaviour.transcription = 'works';
  await expect(page.getByText(LAST_WORDS)).toBeVisible();
  const transcript = () => getRows(server.databaseUrl, user.id).then((rows) => rows.at(-1)?.transcript);
  await expect.poll(transcript).toContain(`Du: ${LAST_WORDS}`);

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
