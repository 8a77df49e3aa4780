import { createEventBuffer, type Call, type CallEvents } from '#web/features/interview/voice/call.ts';

/** For tests: a conversation whose events the test reports, and which records its calls. */
export type FakeCall = Readonly<{
  call: Call;
  report: (tell: (events: CallEvents) => void) => void;
  did: string[];
}>;

export function createFakeCall(change: Partial<Call> = {}): FakeCall {
  const did: string[] = [];
  const buffer = createEventBuffer();
  const call: Call = {
    conversationId: 'conv_1',
    microphoneOpen: true,
    speaks: true,
    subscribe: buffer.subscribe,
    say: (text) => void did.push(`say ${text}`),
    noteTyping: () => void did.push('typing'),
    rate: (liked, eventId) => void did.push(`rate ${eventId} ${liked}`),
    mute: (muted) => void did.push(`mute ${muted}`),
    setVolume: (volume) => void did.push(`volume ${volume}`),
    useInput: async (id) => void did.push(`input ${id}`),
    levels: () => ({ input: 0.5, output: 0.25 }),
    end: () => void did.push('end'),
    ...change,
  };
  return { call, report: buffer.report, did };
}
