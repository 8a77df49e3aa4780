import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderDesk } from '#web/features/desk/testing/render-desk.tsx';
import { TranscriptionPart } from './transcription-part.tsx';

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
