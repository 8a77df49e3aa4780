import { expect, test, vi } from 'vitest';
import { obtainTranscript } from './use-transcription.ts';
import type { TranscriptionResult } from './transcribe.ts';

const heard = async (): Promise<string> => 'gehört';
const nothing = async (): Promise<string> => ' ';
const text: TranscriptionResult = { ok: true, text: 'vom Dienst', segments: [] };
const busy: TranscriptionResult = { ok: false, error: { kind: 'service', status: 429 } };

test('Uses the service first, without asking for what the browser heard (speech.md)', async () => {
  const recognised = vi.fn(heard);
  expect(await obtainTranscript({ service: async () => text, recognised })).toEqual({
    ok: true,
    text: 'vom Dienst',
    segments: [],
  });
  expect(recognised).not.toHaveBeenCalled();
});

test('Falls back on what the browser heard where the service fails (speech.md)', async () => {
  expect(await obtainTranscript({ service: async () => busy, recognised: heard })).toEqual({
    ok: true,
    text: 'gehört',
    segments: [],
  });
});

test('Uses what the browser heard where there is no service (speech.md)', async () => {
  expect(await obtainTranscript({ service: undefined, recognised: heard })).toEqual({
    ok: true,
    text: 'gehört',
    segments: [],
  });
});

test('Reports the error where neither has words (D21)', async () => {
  expect(await obtainTranscript({ service: async () => busy, recognised: nothing })).toEqual(busy);
  expect(await obtainTranscript({ service: undefined, recognised: nothing })).toEqual({
    ok: false,
    error: { kind: 'unavailable' },
  });
});

test('Delivers nothing after the user has left', async () => {
  const aborted: TranscriptionResult = { ok: false, error: { kind: 'aborted' } };
  expect(await obtainTranscript({ service: async () => aborted, recognised: heard })).toEqual(aborted);
});
