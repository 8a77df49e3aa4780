import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSpeechServices, type SpeechServices } from './speech-services.ts';

let services: SpeechServices;
beforeAll(async () => {
  services = await startSpeechServices();
});
afterAll(() => services.stop());

const HEADER_BYTES = 44;

/** What is said about audio of these samples. */
async function transcribe(...samples: readonly number[]): Promise<string> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF');
  header.writeUInt32LE(16_000, 24);
  const form = new FormData();
  form.set('file', new Blob([header, Uint8Array.from(samples)]));
  const answer = await fetch(services.env['TRANSCRIPTION_URL'] ?? '', { method: 'POST', body: form });
  return ((await answer.json()) as { text: string }).text;
}

test('Audio that goes on says the same, and equal audio of another test takes its own words', async () => {
  services.words.push('eins', 'zwei');
  expect([await transcribe(1, 2), await transcribe(1, 2, 3, 4)]).toEqual(['eins', 'eins']);
  services.forget();
  services.words.push('drei');
  expect(await transcribe(1, 2, 3, 4)).toBe('drei');
  expect(services.heard).toHaveLength(2);
});
