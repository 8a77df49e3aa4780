import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { recordBackup } from '#server/backup/last-backup.ts';
import type { TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { begin, startLanguageModel, writeText, type LanguageModel } from '#tests/support/language-model.ts';
import { startSmtpServer, type SmtpScript, type SmtpServer } from '#tests/support/smtp-server.ts';
import { expect, test as base } from './application.ts';
import { toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { picture } from './pictures.ts';

const SECRET = 'Geheim-Mail/7!';
type Fixtures = {
  mail: SmtpServer;
  script: { -readonly [Step in keyof SmtpScript]: SmtpScript[Step] };
  model: LanguageModel;
};

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  script: async ({}, provide) => provide({}),
  mail: async ({ script }, provide) => {
    const steps = { auth: () => script.auth?.(), recipient: () => script.recipient?.() };
    const server = await startSmtpServer(steps, { auth: true });
    await provide(server);
    await server.stop();
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  model: async ({}, provide) => {
    const model = await startLanguageModel();
    await provide(model);
    await model.stop();
  },
  server: async ({ mail, model }, provide) => {
    const server = await bootServer({
      SMTP_URL: `smtp://mira:${encodeURIComponent(SECRET)}@127.0.0.1:${mail.port}`,
      MAIL_FROM: 'beitrag@firma.example',
      LLM_URL: model.url,
      LLM_KEY: 'sk-geheim-modell-4711',
      LLM_MODEL: 'probe-7b',
    });
    await provide(server);
    await server.stop();
  },
});

async function open(page: Page, server: TestServer, part = ''): Promise<TestUser> {
  const admin = await toDesk(page, server, `/admin/einrichtung${part}`);
  await expect(page.getByText(/von 10 Teilen sind in Ordnung/)).toBeVisible();
  return admin;
}

const part = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name }) });

test('Leads to the next step by keyboard, sends a test mail to the own address, and tells a wrong password without showing it', async ({
  page,
  server,
  mail,
  script,
}) => {
  test.slow();
  const admin = await open(page, server);
  await expect(page.getByText('4 von 10 Teilen sind in Ordnung')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'admin-setup-summary');
  await page.getByRole('button', { name: 'Öffentliche Adresse eintragen' }).press('Enter');
  const head = page.getByRole('button', { name: /^Adresse und TLS/ });
  await expect(head).toBeFocused();
  await expect(head).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByText('PUBLIC_URL=https://beitrag.example.de')).toBeVisible();
  await expect(page.getByText('docs/operations.md#tls')).toBeVisible();
  await page.getByRole('button', { name: 'Kopieren: TRUST_PROXY=true' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Kopiert' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('TRUST_PROXY=true');
  await head.press('Space');
  await expect(head).toHaveAttribute('aria-expanded', 'false');

  // Every part, on a narrow phone.
  const heads = page.getByRole('list', { name: 'Teile' }).getByRole('heading', { level: 2 }).getByRole('button');
  await expect(heads).toHaveCount(10);
  for (const one of await heads.all()) await one.click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page);

  script.auth = () => `535 5.7.8 Kennwort ${SECRET} stimmt nicht`;
  await page.getByRole('button', { name: 'Testmail senden' }).click();
  const result = page.getByText('Der Mailserver nimmt die Anmeldung nicht an. Prüfe Name und Passwort in SMTP_URL.');
  await expect(result).toBeVisible();
  await expect(page.getByText('535 5.7.8 Kennwort … stimmt nicht')).toBeVisible();
  await expect(part(page, 'Mailversand').getByText('Gestört')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Mailversand in Ordnung bringen' })).toBeVisible();
  expect(await page.content()).not.toContain(SECRET);
  await expectAccessible(page);
  await picture(page, 'admin-setup-mail-refused');

  delete script.auth;
  script.recipient = () => '550 5.1.1 No such mailbox';
  await page.getByRole('button', { name: 'Testmail senden' }).click();
  await expect(page.getByText('Der Mailserver nimmt deine Adresse als Empfänger nicht an.')).toBeVisible();
  delete script.recipient;
  const before = mail.received.length;
  await page.getByRole('button', { name: 'Testmail senden' }).click();
  await expect(page.getByText(`Der Mailserver hat die Testmail an ${admin.email} angenommen.`)).toBeVisible();
  expect(mail.received.slice(before)).toMatchObject([{ recipient: admin.email }]);
  await expect(part(page, 'Mailversand').getByText('In Ordnung')).toBeVisible();
});

test('Tries the files, the last backup, the second factors (0335), and asks the language model while its page is left', async ({
  page,
  server,
  model,
}) => {
  test.slow();
  const file = path.join(server.dataDir, 'nacht.tar');
  await writeFile(file, 'no archive');
  await recordBackup(server.dataDir, file, { files: { count: 0, bytes: 0, missing: 0, missingNames: [] } } as never);
  await open(page, server, '#second-factors');
  await page.getByRole('button', { name: 'Administratoren prüfen' }).click();
  await expect(
    page.getByText(/^\d+ von \d+ Administrator(?:en)? ha(?:t|ben) noch keinen zweiten Faktor\.$/),
  ).toBeVisible();
  await page.getByRole('button', { name: /^Sicherung/ }).click();
  await page.getByRole('button', { name: 'Letzte Sicherung prüfen' }).click();
  const damaged = page.getByText('Die Datei der letzten Sicherung ist beschädigt oder unvollständig.');
  await expect(damaged).toBeVisible();
  await expect(part(page, 'Sicherung').getByText('Gestört')).toBeVisible();
  await expectAccessible(page);
  await rm(file);
  await page.getByRole('button', { name: 'Letzte Sicherung prüfen' }).click();
  await expect(page.getByText('Die Datei liegt nicht mehr dort, wo sie entstand')).toBeVisible();
  await page.getByRole('button', { name: /^Dateien und freier Platz/ }).click();
  await page.getByRole('button', { name: 'Dateispeicher prüfen' }).click();
  await expect(page.getByText('Eine Datei wurde geschrieben, gelesen und wieder gelöscht.')).toBeVisible();

  await page.getByRole('button', { name: /^Sprachmodell/ }).click();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  model.behave(async (response) => {
    begin(response);
    asked.resolve();
    await answer.promise;
    writeText(response, 'Ja, ich bin bereit.');
    response.end('data: [DONE]\n\n');
  });
  await page.getByRole('button', { name: 'Sprachmodell fragen' }).click();
  await asked.promise;
  await expect(page.getByText('die Probe läuft weiter', { exact: false })).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Sprachmodell wird gefragt...' })).toBeAttached();
  await page.goto('/admin');
  await page.goto('/admin/einrichtung#language-model');
  await expect(page.getByRole('button', { name: 'Sprachmodell wird gefragt...' })).toBeVisible();
  answer.resolve();
  await expect(page.getByText('Das Sprachmodell antwortet: „Ja, ich bin bereit.“')).toBeVisible();
});
