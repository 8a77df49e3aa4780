import { expect, test } from './application.ts';
import { expectAccessible } from './findings.ts';
import { record } from './voice-message.ts';

const delta = (text: string): string => `data: ${JSON.stringify({ type: 'transcript.text.delta', delta: text })}\n\n`;
const done = (text: string): string => `data: ${JSON.stringify({ type: 'transcript.text.done', text })}\n\n`;

test('The text grows while it is understood; cancelling ends the call and keeps the recording (§2.6, D18)', async ({
  page,
  transcription,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/voice-message');
  await record(page);
  transcription.behave({ kind: 'stream' });
  await page.getByRole('button', { name: 'Weiter' }).click();
  await transcription.until(() => transcription.streams() === 1);
  transcription.stream(delta('Guten Tag.'));
  const text = page.getByRole('region', { name: 'Text bisher' });
  await expect(text).toHaveText('Guten Tag.');
  transcription.stream(delta(' Wir haben in unserer Werkstatt'));
  await expect(text).toHaveText('Guten Tag. Wir haben in unserer Werkstatt');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Abbrechen' }).press('Enter');
  await transcription.until(() => transcription.aborted() === 1);
  await expect(page.getByText('Aufnahme fertig')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);

  let isFirst = true;
  await page.route('**/v1/audio/transcriptions', (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return route.fulfill({ status: 415, json: { error: { code: 'audio_needs_wav', message: 'WAV' } } });
  });
  await page.getByRole('button', { name: 'Weiter' }).click();
  await transcription.until(() => transcription.streams() === 1);
  transcription.stream(delta('Guten') + done('Guten Tag.'));
  await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue('Guten Tag.');
  expect(transcription.calls()).toHaveLength(2);
  const [, call] = transcription.calls();
  expect(call).toMatchObject({ filename: 'recording.wav', fields: { prompt: 'Verbandsbereich' }, faults: [] });
  const wav = Buffer.from(call?.bytes ?? []);
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([1, 16_000]);
  expect(wav.length).toBeGreaterThan(16_000 * 2);
  const samples = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) >> 1);
  expect(samples.some((sample) => Math.abs(sample) > 500)).toBe(true);
});
