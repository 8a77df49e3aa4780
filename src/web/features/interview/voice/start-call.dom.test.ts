import { afterEach, expect, test, vi } from 'vitest';
import type { VoiceTicket } from '#contract/voice.ts';
import { createFakeCall } from '#tests/support/web/fake-call.ts';
import { startCall } from './start-call.ts';

vi.mock('./client-call.ts', () => ({
  startClientCall: async () => createFakeCall({ microphoneOpen: false }).call,
}));
afterEach(() => void vi.unstubAllGlobals());

const TICKET: VoiceTicket = {
  signedUrl: 'wss://localhost/v1/convai/conversation?ticket=x',
  expiresInS: 60,
  engine: 'browser',
  textOnly: true,
  capabilities: { transcription: false, speech: false },
};

test.each([
  ['asks for no microphone', 'only its maker could recognise, which is not allowed', false],
  ['listens', 'its maker may recognise', true],
])('Where the server cannot listen the browser %s if %s', async (_what, _where, cloud) => {
  const getUserMedia = vi.fn(async () => ({ getTracks: () => [], getAudioTracks: () => [] }));
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
  vi.stubGlobal('webkitSpeechRecognition', Object);
  const { signal } = new AbortController();
  const call = await startCall({ ticket: TICKET, way: 'voice', inputId: undefined, cloud, signal });
  expect(call.microphoneOpen).toBe(cloud);
  expect(getUserMedia).toHaveBeenCalledTimes(cloud ? 1 : 0);
});
