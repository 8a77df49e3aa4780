import { expect, test } from 'vitest';
import { resolveEndpoint } from './service-request.ts';

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
