import type { Page, Route } from '@playwright/test';
import { SETUP_PATH, type RecordingCheck, type SpeechModel, type TranscriptionSetup } from '#contract/setup.ts';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import type { TestServer } from '#tests/support/boot.ts';
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

const EMPTY: TranscriptionSetup = {
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
  installation: null,
  failure: null,
};
const IN_USE: TranscriptionSetup = {
  ...EMPTY,
  by: 'model',
  models: [model('parakeet-q8', { isInstalled: true, isInUse: true })],
};
const installing = (doneBytes: number): TranscriptionSetup => ({
  ...EMPTY,
  installation: { model: 'parakeet-q8', phase: 'downloading', doneBytes, totalBytes: 638 * MEGABYTE },
});
const CHECK: RecordingCheck = {
  text: 'Guten Tag. Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut.',
  expected: 'Guten Tag. Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. Sie misst jedes Bauteil.',
  wordErrorRate: 0.21,
  audioSeconds: 7.6,
  seconds: 3.2,
};

/** Answers the routes of the setup; no model can be downloaded in a test. `calls` are the actions, oldest first. */
async function scriptSetup(page: Page, start: TranscriptionSetup) {
  const script = { setup: start, calls: [] as string[], answer: (_call: string): object | undefined => undefined };
  await page.route(`**${SETUP_PATH}/transcription**`, async (route: Route) => {
    const request = route.request();
    const path = new URL(request.url()).pathname.replace(`${SETUP_PATH}/transcription`, '');
    if (request.method() === 'GET') return route.fulfill({ json: script.setup });
    const call = `${request.method()} ${path}`;
    script.calls.push(call);
    return route.fulfill({ json: script.answer(call) ?? script.setup });
  });
  return script;
}

async function openSetup(page: Page, server: TestServer): Promise<void> {
  await toDesk(page, server);
  await page.getByRole('link', { name: 'Einrichtung' }).click();
  await expect(page).toHaveURL(/\/admin\/einrichtung$/);
  await page.getByRole('button', { name: /^Transkription/ }).click();
}

/** The row of the part. */
const row = (page: Page) => page.getByRole('button', { name: /^Transkription/ });

test('Shows what transcribes and the catalogue, and checks a recording with the configured service', async ({
  page,
  server,
}) => {
  await openSetup(page, server);
  await expect(row(page)).toContainText('In Ordnung');
  await expect(page.getByText('Der Dienst, den TRANSCRIPTION_URL nennt', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Parakeet: Installieren' })).toBeVisible();
  await expect(page.getByText('CC-BY-4.0').first()).toBeVisible();
  await page.getByRole('button', { name: 'Aufnahme prüfen' }).click();
  await expect(page.getByText('0 %', { exact: true })).toBeVisible();
  await expect(page.getByText(SPOKEN_TEXT)).toHaveCount(2);
});

test('Installs a model with progress, cancels and resumes, by keyboard', async ({ page, server }) => {
  const script = await scriptSetup(page, EMPTY);
  await openSetup(page, server);
  await expect(page.getByRole('button', { name: 'Aufnahme prüfen' })).toHaveCount(0);
  await expectAccessible(page);

  script.answer = () => (script.setup = installing(0));
  await page.getByRole('button', { name: 'Parakeet: Installieren' }).press('Enter');
  await expect(page.getByRole('progressbar', { name: /Parakeet/ })).toHaveAttribute('value', '0');
  await expect(page.getByRole('button', { name: 'Whisper Base: Fortsetzen' })).toBeDisabled();
  script.setup = installing(319 * MEGABYTE);
  await expect(page.getByRole('progressbar', { name: /Parakeet/ })).toHaveAttribute('value', '50');
  await expect(page.getByText('319 MB von 638 MB')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'admin-setup-installing');

  script.answer = () => {
    script.setup = { ...EMPTY, models: [model('parakeet-q8', { partialBytes: 319 * MEGABYTE })] };
    return undefined;
  };
  await page.getByRole('button', { name: 'Parakeet: Abbrechen' }).press('Enter');
  await expect(page.getByText('319 MB sind schon geladen')).toBeVisible();

  script.answer = () => (script.setup = installing(638 * MEGABYTE));
  await page.getByRole('button', { name: 'Parakeet: Fortsetzen' }).press('Enter');
  await expect(page.getByRole('progressbar', { name: /Parakeet/ })).toHaveAttribute('value', '100');
  script.setup = IN_USE;
  await expect(page.getByText('Parakeet ist installiert').first()).toBeVisible();
  expect(script.calls).toEqual(['POST /models/parakeet-q8', 'DELETE /installation', 'POST /models/parakeet-q8']);
});

test('Checks a recording, and removes a model only after a question', async ({ page, server }) => {
  const script = await scriptSetup(page, IN_USE);
  await openSetup(page, server);
  script.answer = (call) => (call === 'POST /check' ? CHECK : undefined);
  await page.getByRole('button', { name: 'Aufnahme prüfen' }).click();
  await expect(page.getByText('21 %')).toBeVisible();
  await expect(page.getByText('0,4 s')).toBeVisible();
  await expect(page.getByText(CHECK.text, { exact: true })).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'admin-setup-checked');

  await page.getByRole('button', { name: 'Parakeet: Entfernen' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Abbrechen' }).click();
  expect(script.calls).toEqual(['POST /check']);
  await page.getByRole('button', { name: 'Parakeet: Entfernen' }).click();
  script.setup = EMPTY;
  await page.getByRole('alertdialog').getByRole('button', { name: 'Entfernen' }).click();
  await expect(page.getByText('Parakeet ist entfernt').first()).toBeVisible();
});

test('Says why an installation failed and how much room is missing', async ({ page, server }) => {
  const failure = {
    model: 'parakeet-q8',
    code: 'disk_full',
    neededBytes: 700 * MEGABYTE,
    freeBytes: 90 * MEGABYTE,
  } as const;
  await scriptSetup(page, { ...EMPTY, failure });
  await openSetup(page, server);
  const alert = page.getByRole('alert').filter({ hasText: 'Parakeet ist nicht installiert' });
  await expect(alert).toContainText('Gebraucht werden 700 MB, frei sind 90 MB.');
});
