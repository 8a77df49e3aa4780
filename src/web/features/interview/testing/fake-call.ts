import { heldEvents, type Call, type CallEvents } from '../voice/call.ts';

/** For tests: a conversation that the test speaks for, and that writes down what it is asked to do. */
export type FakeCall = Readonly<{
  call: Call;
  report: (tell: (events: CallEvents) => void) => void;
  did: string[];
}>;

export function fakeCall(change: Partial<Call> = {}): FakeCall {
  const did: string[] = [];
  const held = heldEvents();
  const call: Call = {
    conversationId: 'conv_1',
    listens: true,
    speaks: true,
    listen: held.listen,
    say: (text) => void did.push(`say ${text}`),
    rate: (liked, eventId) => void did.push(`rate ${eventId} ${liked}`),
    mute: (muted) => void did.push(`mute ${muted}`),
    setVolume: (volume) => void did.push(`volume ${volume}`),
    useInput: async (id) => void did.push(`input ${id}`),
    levels: () => ({ input: 0.5, output: 0.25 }),
    end: () => void did.push('end'),
    ...change,
  };
  return { call, report: held.report, did };
}
