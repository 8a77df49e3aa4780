import { expect, test } from 'vitest';
import { keepSpokenWords, resolveEndpoint } from './service-request.ts';

test.each([
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/audio/transcriptions'],
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1/audio/transcriptions'],
  ['https://api.groq.com/openai/v1', 'https://api.groq.com/openai/v1/audio/transcriptions'],
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/v1/audio/transcriptions'],
  ['http://whisper/v1/audio/transcriptions', 'http://whisper/v1/audio/transcriptions'],
  ['http://x.test/api/?key=1', 'http://x.test/api/audio/transcriptions?key=1'],
  [
    'https://x.openai.azure.com/openai/deployments/w/audio/transcriptions?api-version=2024-06-01',
    'https://x.openai.azure.com/openai/deployments/w/audio/transcriptions?api-version=2024-06-01',
  ],
  [
    'https://x.openai.azure.com/openai/deployments/w?api-version=2024-06-01',
    'https://x.openai.azure.com/openai/deployments/w/audio/transcriptions?api-version=2024-06-01',
  ],
])('Resolves %s to %s', (url, expected) => {
  expect(resolveEndpoint(url, '/audio/transcriptions')).toBe(expected);
});

test.each([
  ['Untertitel der Amara.org-Community', ''],
  ['Untertitelung aufgrund der Amara.org-Community', ''],
  [' Untertitel im Auftrag des ZDF für funk, 2017', ''],
  ['Untertitelung. BR 2018', ''],
  ['Untertitel von Stephanie Geiges', ''],
  ['[Musik] (Maschine läuft) *lacht* …', ''],
  ['Danke für alles. Untertitel der Amara.org-Community', 'Danke für alles.'],
  ['Die Untertitel machen wir im BR, 2019 kam das ZDF (Mainz) dazu.', undefined],
  [' Teil M8 × 20 kostet 3,50 €. ', 'Teil M8 × 20 kostet 3,50 €.'],
])('§2.6 of "%s" "%s" was spoken', (written, spoken) => {
  expect(keepSpokenWords(written)).toBe(spoken ?? written);
});
