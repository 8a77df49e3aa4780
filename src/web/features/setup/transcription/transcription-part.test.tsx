import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { SpeechModel, TranscriptionSetup } from '#contract/setup.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { TranscriptionPart } from './transcription-part.tsx';

afterEach(resumeTime);

const CHECK = { text: 'Gehört', expected: 'Gesagt', wordErrorRate: 1, audioSeconds: 4, seconds: 1 };

const FACTS = { bytes: 1, memoryBytes: null, licence: null, attribution: null, isDefault: false, partialBytes: 0 };
const model = (name: string, isInUse: boolean) => ({ ...FACTS, name, isInUse, isInstalled: true });

test('Shows no result of a model that transcribes no longer (setup)', async () => {
  let models = [model('eins', true), model('zwei', false)];
  const { user } = renderDesk(() => <TranscriptionPart />, {
    answers: {
      'GET /v1/setup/transcription': () => ({ by: 'model', models, installation: null, failure: null }),
      'POST /v1/setup/transcription/check': () => CHECK,
      'DELETE /v1/setup/transcription/models/eins': () => {
        models = [model('zwei', true)];
        return {};
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Aufnahme prüfen' }));
  expect(await screen.findByText('Gehört')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'eins: Entfernen' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Entfernen' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'eins: Entfernen' })).toBeNull());
  expect(screen.queryByText('Gehört')).toBeNull();
});

const MEGABYTE = 1024 * 1024;
const PARAKEET: SpeechModel = {
  ...FACTS,
  name: 'parakeet-q8',
  bytes: 638 * MEGABYTE,
  isInUse: false,
  isInstalled: false,
};
const EMPTY: TranscriptionSetup = {
  by: 'nothing',
  models: [PARAKEET, { ...PARAKEET, name: 'whisper-base', bytes: 78 * MEGABYTE, partialBytes: 40 * MEGABYTE }],
  installation: null,
  failure: null,
};
const IN_USE: TranscriptionSetup = {
  ...EMPTY,
  by: 'model',
  models: [{ ...PARAKEET, isInstalled: true, isInUse: true }],
};
const installing = (doneBytes: number): TranscriptionSetup => ({
  ...EMPTY,
  installation: { model: PARAKEET.name, phase: 'downloading', doneBytes, totalBytes: PARAKEET.bytes },
});
const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });

/** Answers as the server does whose state is `setup`; each action goes over into the state that it names. */
function openPart(setup: TranscriptionSetup, after: Readonly<Record<string, TranscriptionSetup>> = {}) {
  const now = { setup };
  const path = '/v1/setup/transcription';
  const run = renderDesk(() => <TranscriptionPart />, {
    answers: {
      [`GET ${path}`]: () => now.setup,
      ...Object.fromEntries(
        Object.entries(after).map(([action, next]) => [action.replace(' ', ` ${path}`), () => (now.setup = next)]),
      ),
      [`POST ${path}/check`]: () => ({ ...CHECK, wordErrorRate: 0.21, audioSeconds: 7.6, seconds: 3.2 }),
    },
  });
  const listActions = () =>
    run.requests.filter(({ name }) => !name.startsWith('GET')).map(({ name }) => name.replace(path, ''));
  return { ...run, now, listActions };
}

test('Installs a model with progress, cancels and resumes, by keyboard (setup)', async () => {
  const partial = { ...EMPTY, models: [{ ...PARAKEET, partialBytes: 319 * MEGABYTE }] };
  freezeTime();
  const { user, now, listActions } = openPart(EMPTY, {
    'POST /models/parakeet-q8': installing(0),
    'DELETE /installation': partial,
  });
  const press = async (name: string) => {
    await waitForState(() => expect(screen.getByRole('button', { name })).toBeTruthy());
    screen.getByRole('button', { name }).focus();
    await user.keyboard('{Enter}');
  };
  const expectProgress = (value: string) =>
    waitForState(() => expect(screen.getByRole('progressbar', { name: /Parakeet/ }).getAttribute('value')).toBe(value));
  await waitForState(() => expect(screen.getByText('Modelle')).toBeTruthy());
  expect(screen.queryByRole('button', { name: 'Aufnahme prüfen' })).toBeNull();

  await press('Parakeet: Installieren');
  await expectProgress('0');
  expect((await button('Whisper Base: Fortsetzen')).ariaDisabled).toBe('true');
  now.setup = installing(319 * MEGABYTE);
  await pass(1_000);
  await expectProgress('50');
  expect(screen.getByText('319 MB von 638 MB')).toBeTruthy();

  await press('Parakeet: Abbrechen');
  await waitForState(() => expect(screen.getByText('319 MB sind schon geladen')).toBeTruthy());
  await press('Parakeet: Fortsetzen');
  await expectProgress('0');
  now.setup = installing(638 * MEGABYTE);
  await pass(1_000);
  await expectProgress('100');
  now.setup = { ...IN_USE, by: 'service' };
  await pass(1_000);
  await waitForState(() => expect(screen.getAllByText('Parakeet ist installiert')[0]).toBeTruthy());
  expect(screen.getAllByText('Benutzt wird es erst ohne TRANSCRIPTION_URL.')[0]).toBeTruthy();
  expect(listActions()).toEqual(['POST /models/parakeet-q8', 'DELETE /installation', 'POST /models/parakeet-q8']);
});

test('Shows the result of a check, and removes a model only after a question (setup)', async () => {
  const { user, listActions } = openPart(IN_USE, { 'DELETE /models/parakeet-q8': EMPTY });
  await user.click(await button('Aufnahme prüfen'));
  expect(await screen.findByText('21 %')).toBeTruthy();
  expect(screen.getByText('0,4 s')).toBeTruthy();
  expect(screen.getByText(CHECK.text)).toBeTruthy();
  const answer = async (name: string) => {
    await user.click(await button('Parakeet: Entfernen'));
    await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name }));
  };
  await answer('Abbrechen');
  expect(listActions()).toEqual(['POST /check']);
  await answer('Entfernen');
  expect(await screen.findByText('Parakeet ist entfernt')).toBeTruthy();
  expect(listActions()).toEqual(['POST /check', 'DELETE /models/parakeet-q8']);
});

test('Says why an installation failed and how much room is missing (setup)', async () => {
  const [neededBytes, freeBytes] = [700 * MEGABYTE, 90 * MEGABYTE];
  openPart({ ...EMPTY, failure: { model: PARAKEET.name, code: 'disk_full', neededBytes, freeBytes } });
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('Parakeet ist nicht installiert');
  expect(alert.textContent).toContain('Gebraucht werden 700 MB, frei sind 90 MB.');
});

test.each([
  [3.2, 'Nach einer Antwort von acht Sekunden wartet man etwa 3,2 s.'],
  [48, 'Nach einer Antwort von acht Sekunden wartet man etwa 48 s. Das ist für ein Gespräch zu lang.'],
])('The check says what %d s mean for an interview (setup)', async (seconds, said) => {
  const { user } = renderDesk(() => <TranscriptionPart />, {
    answers: {
      'GET /v1/setup/transcription': () => ({
        by: 'model',
        models: [model('eins', true)],
        installation: null,
        failure: null,
      }),
      'POST /v1/setup/transcription/check': () => ({ ...CHECK, audioSeconds: 7.6, seconds }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Aufnahme prüfen' }));
  expect(await screen.findByText(said)).toBeTruthy();
});
