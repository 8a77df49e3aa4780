import { SETUP_PATH, type SpeechModel, type TranscriptionSetup } from '#contract/setup.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { picture } from './pictures.ts';

const MEGABYTE = 1024 * 1024;

const model = (name: string, given: Partial<SpeechModel> = {}): SpeechModel => ({
  name,
  bytes: 638 * MEGABYTE,
  memoryBytes: 900 * MEGABYTE,
  licence: 'CC-BY-4.0',
  attribution: 'Parakeet TDT 0.6B v3, © NVIDIA',
  isDefault: name === 'parakeet-q8',
  isInstalled: false,
  isInUse: false,
  partialBytes: 0,
  ...given,
});

const INSTALLING: TranscriptionSetup = {
  by: 'nothing',
  models: [
    model('parakeet-q8'),
    model('whisper-base', {
      bytes: 78 * MEGABYTE,
      memoryBytes: 400 * MEGABYTE,
      licence: 'MIT',
      attribution: 'Whisper, © OpenAI',
      partialBytes: 40 * MEGABYTE,
    }),
  ],
  installation: {
    model: 'parakeet-q8',
    phase: 'downloading',
    doneBytes: 319 * MEGABYTE,
    totalBytes: 638 * MEGABYTE,
  },
  failure: null,
};

test('Shows what transcribes and checks a recording with the configured service; axe on an installation and a result', async ({
  page,
  server,
}) => {
  await toDesk(page, server);
  await page.getByRole('link', { name: 'Einrichtung' }).click();
  await expect(page).toHaveURL(/\/admin\/einrichtung$/);
  const row = page.getByRole('button', { name: /^Transkription/ });
  await row.click();
  await expect(row).toContainText('In Ordnung');
  await expect(page.getByText('Der Dienst, den TRANSCRIPTION_URL nennt', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Parakeet: Installieren' })).toBeVisible();
  await expect(page.getByText('CC-BY-4.0').first()).toBeVisible();
  await page.getByRole('button', { name: 'Aufnahme prüfen' }).click();
  await expect(page.getByText('0 %', { exact: true })).toBeVisible();
  await expect(page.getByText(SPOKEN_TEXT)).toHaveCount(2);
  await expectAccessible(page);
  await picture(page, 'admin-setup-checked');

  // No model can be downloaded in a test.
  await page.route(`**${SETUP_PATH}/transcription`, (route) => route.fulfill({ json: INSTALLING }));
  await page.goto('/admin/einrichtung#transcription');
  await page.reload();
  await expect(page.getByRole('progressbar', { name: /Parakeet/ })).toHaveAttribute('value', '50');
  await expectAccessible(page);
  await picture(page, 'admin-setup-installing');
});
