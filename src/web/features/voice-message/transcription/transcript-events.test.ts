import { expect, test } from 'vitest';
import { convertToWav } from './convert-to-wav.ts';
import { createEventReader } from './transcript-events.ts';

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (text: string): string => event({ type: 'transcript.text.delta', delta: text });

test('Reads each event of a growing body once, however it is cut', () => {
  const body = [
    ': alive\n\n',
    event({ type: 'transcript.queued', place: 2 }),
    event({ type: 'transcript.progress', done_seconds: 0, total_seconds: 8 }),
    delta('Guten'),
    delta(' Tag.'),
    event({ type: 'transcript.unknown' }),
  ].join('');
  const reader = createEventReader();
  const seen = Array.from({ length: body.length }, (_, at) => reader.read(body.slice(0, at + 1)));
  expect(seen.filter((progress) => progress !== undefined)).toEqual([
    { text: '', place: 2 },
    { text: '', audio: { doneS: 0, totalS: 8 } },
    { text: 'Guten', audio: { doneS: 0, totalS: 8 } },
    { text: 'Guten Tag.', audio: { doneS: 0, totalS: 8 } },
  ]);
});

test('Writes a stereo sound as 16 kHz mono WAV', async () => {
  const channels = [Float32Array.of(1, 0.5, -2), Float32Array.of(1, -0.5, -2)];
  const sound = { numberOfChannels: 2, getChannelData: (at: number) => channels[at] ?? new Float32Array() };
  const wav = await convertToWav(new Blob(['x']), async () => sound);
  const view = new DataView(await wav.arrayBuffer());
  const text = (at: number): string => String.fromCodePoint(...new Uint8Array(view.buffer, at, 4));
  expect([text(0), text(8), text(36)]).toEqual(['RIFF', 'WAVE', 'data']);
  expect([view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)]).toEqual([1, 16_000, 16]);
  expect([44, 46, 48].map((at) => view.getInt16(at, true))).toEqual([32_767, 0, -32_767]);
  expect(wav.size).toBe(50);
});
