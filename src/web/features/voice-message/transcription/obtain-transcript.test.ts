import { expect, test, vi } from 'vitest';
import { obtainTranscript } from './use-transcription.ts';
import type { TranscriptionResult } from './transcribe.ts';

const heard = async (): Promise<string> => 'gehört';
const nothing = async (): Promise<string> => ' ';
const text: TranscriptionResult = { ok: true, text: 'vom Dienst', segments: [] };
const busy: TranscriptionResult = { ok: false, error: { kind: 'service', status: 429 } };

test('speech.md first the service; what the browser heard is not even asked for', async () => {
  const recognised = vi.fn(heard);
  expect(await obtainTranscript({ service: async () => text, recognised })).toEqual({
    ok: true,
    text: 'vom Dienst',
    segments: [],
    source: 'service',
  });
  expect(recognised).not.toHaveBeenCalled();
});

test('speech.md then what the browser heard, saying why', async () => {
  expect(await obtainTranscript({ service: async () => busy, recognised: heard })).toEqual({
    ok: true,
    text: 'gehört',
    segments: [],
    source: 'recognition',
    serviceError: { kind: 'service', status: 429 },
  });
});

test('speech.md without a service only what the browser heard', async () => {
  expect(await obtainTranscript({ service: undefined, recognised: heard })).toEqual({
    ok: true,
    text: 'gehört',
    segments: [],
    source: 'recognition',
  });
});

test('Reports the error then and makes nothing up (D21)', async () => {
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
