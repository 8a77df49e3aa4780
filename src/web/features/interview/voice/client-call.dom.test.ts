import { beforeEach, expect, test, vi } from 'vitest';
import type { VoiceTicket } from '#contract/voice.ts';
import { classifyDrop } from '../conversation/errors.ts';
import type { Call, CallEnd } from './call.ts';
import { startClientCall } from './client-call.ts';

const startSession = vi.hoisted(() => vi.fn());
vi.mock('./client.ts', () => ({
  loadClient: async () => ({ Conversation: { startSession } }),
  resolveWorklet: String,
  WORKLET_PATHS: {},
}));

const TICKET: VoiceTicket = {
  signedUrl: 'wss://localhost/v1/convai/conversation?ticket=x',
  expiresInS: 60,
  engine: 'embedded',
  textOnly: false,
  capabilities: { transcription: true, speech: true },
};

type Options = Readonly<{ onDisconnect: (details: object) => void }>;

let options: Options;
let sent: string[];
beforeEach(() => {
  sent = [];
  startSession.mockImplementation(async (given: Options) => {
    options = given;
    return {
      type: 'text',
      getId: () => 'conv_1',
      isOpen: () => true,
      sendUserActivity: () => void sent.push('activity'),
      endSession: async () => undefined,
    };
  });
});

const start = (): Promise<Call> =>
  startClientCall({ ticket: TICKET, textOnly: true, inputId: undefined, signal: new AbortController().signal });

function listen(call: Call): CallEnd[] {
  const ends: CallEnd[] = [];
  const ignore = (): void => undefined;
  call.subscribe({
    onTurn: ignore,
    onCorrection: ignore,
    onTentative: ignore,
    onSpeaking: ignore,
    onListening: ignore,
    onMicrophoneLost: ignore,
    onMicrophoneMuted: ignore,
    onEnd: (end) => ends.push(end),
  });
  return ends;
}

const describeEnd = ([end]: readonly CallEnd[]): string | undefined =>
  end?.by === 'lost' ? classifyDrop(end.closeCode, end.closeReason) : end?.by;

// The client ends such a conversation itself, at the message before the close, so it knows no close code.
test('An interview that has lasted its 15 minutes says so, and not that the line broke', async () => {
  const ends = listen(await start());
  options.onDisconnect({ reason: 'error', message: 'maximum length', context: { type: 'max_duration_exceeded' } });
  expect(describeEnd(ends)).toBe('limit');
});

test.each([
  [{ closeCode: 1006 }, 'dropped'],
  [{ closeCode: 1008, closeReason: 'no activity' }, 'limit'],
  [{ closeCode: 1008, closeReason: 'the rights to this conversation ended' }, 'refused'],
])('Other ends keep their reason: %j', async (close, code) => {
  const ends = listen(await start());
  options.onDisconnect({ reason: 'error', message: 'lost', context: { type: 'close' }, ...close });
  expect(describeEnd(ends)).toBe(code);
});

test('Tells the server that the person is writing', async () => {
  (await start()).noteTyping();
  expect(sent).toEqual(['activity']);
});
