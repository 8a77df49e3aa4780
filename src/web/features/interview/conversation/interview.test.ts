import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { formatTranscript, type Turn } from '#contract/transcript.ts';
import type { VoiceTicket } from '#contract/voice.ts';
import type { KeptInterview } from '../kept-interview.ts';
import { createFakeCall, type FakeCall } from '#tests/support/web/fake-call.ts';
import type { InputMode } from '../voice/call.ts';
import { TicketError } from '../voice/ticket.ts';
import { Interview, type InterviewDeps } from './interview.ts';

const TICKET: VoiceTicket = {
  signedUrl: 'wss://localhost/v1/convai/conversation?ticket=x',
  expiresInS: 60,
  engine: 'embedded',
  textOnly: false,
  capabilities: { transcription: true, speech: true },
};

let line: FakeCall;
let awake: number;
let asked: { request: Parameters<InterviewDeps['ticket']>[0]; way?: InputMode; inputId?: string | undefined }[];
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  line = createFakeCall();
  awake = 0;
  asked = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const never = (): Promise<never> => new Promise(() => undefined);

function open(change: Partial<InterviewDeps> = {}, kept?: KeptInterview): Interview {
  const deps: InterviewDeps = {
    preload: () => Promise.resolve(),
    unlock: () => undefined,
    ticket: async (request) => {
      asked.push({ request });
      return TICKET;
    },
    call: async (_ticket, way, inputId) => {
      Object.assign(asked.at(-1) ?? {}, { way, inputId });
      return line.call;
    },
    onConnected: () => undefined,
    readTranscript: async () => undefined,
    keepAwake: () => {
      awake += 1;
      return () => void (awake -= 1);
    },
    devices: undefined,
    now: () => Date.now(),
    ...change,
  };
  return new Interview(deps, kept);
}

const refusing =
  (error: unknown): InterviewDeps['call'] =>
  async () => {
    throw error;
  };

const say = (turn: Turn): void => line.report((events) => events.onTurn({ ...turn, eventId: 1 }));
const status = (interview: Interview): string => interview.snapshot().conversation.status;

describe('§4 start', () => {
  test("Shows 'Wird vorbereitet...' while the client loads, and recovers from a failed load", async () => {
    const loaded = Promise.withResolvers<void>();
    const interview = open({ preload: () => loaded.promise });
    const preloading = interview.preload();
    expect(status(interview)).toBe('preparing');
    await interview.start('voice');
    expect(status(interview)).toBe('preparing');
    loaded.reject(new TypeError('chunk'));
    await preloading;
    expect(status(interview)).toBe('idle');
  });

  test('Connects, keeps the screen awake and ignores a second click', async () => {
    const interview = open();
    await Promise.all([interview.start('voice'), interview.start('voice')]);
    expect(interview.snapshot()).toMatchObject({
      conversation: { status: 'connected', progress: 100 },
      microphoneOpen: true,
    });
    expect(asked).toHaveLength(1);
    expect(awake).toBe(1);
  });

  test('The bar moves every 100 ms (§9)', async () => {
    const interview = open({ call: never });
    void interview.start('voice');
    await vi.advanceTimersByTimeAsync(99);
    expect(interview.snapshot().conversation).toMatchObject({ progress: 0 });
    await vi.advanceTimersByTimeAsync(1);
    const first = interview.snapshot().conversation;
    expect(first).toMatchObject({ progress: expect.toSatisfy((value: number) => value > 0) });
    await vi.advanceTimersByTimeAsync(99);
    expect(interview.snapshot().conversation).toEqual(first);
    interview.end();
  });

  test('Still connecting after 15 s is an error; a call that comes later is ended (§9)', async () => {
    const late = Promise.withResolvers<FakeCall['call']>();
    const interview = open({ call: () => late.promise });
    const starting = interview.start('voice');
    await vi.advanceTimersByTimeAsync(14_900);
    expect(interview.snapshot().conversation).toMatchObject({ status: 'connecting', progress: 90 });
    await vi.advanceTimersByTimeAsync(100);
    await starting;
    expect(interview.snapshot().conversation).toMatchObject({ status: 'error', code: 'timeout' });
    late.resolve(line.call);
    await vi.waitFor(() => expect(line.did).toEqual(['end']));
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['a ticket that never comes', { ticket: never }],
    ['a line that never answers', { call: never }],
  ])('Cancels %s on leaving', async (_name, hangs) => {
    const interview = open(hangs);
    const starting = interview.start('voice');
    interview.end();
    await starting;
    expect(status(interview)).toBe('idle');
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [new DOMException('', 'NotAllowedError'), 'microphone-denied'],
    [new DOMException('', 'NotFoundError'), 'microphone-missing'],
    [new DOMException('', 'NotReadableError'), 'microphone-broken'],
    [{ closeCode: 1011 }, 'service'],
    [{ closeCode: 1013 }, 'busy'],
    [{ closeCode: 1006 }, 'connection'],
    [{ closeCode: 1008 }, 'connection'],
    [{ closeCode: 1008, closeReason: 'too many conversations at once' }, 'too-many'],
    [{ closeCode: 1013, closeReason: 'the minutes of the day are used up' }, 'used-up'],
    [{ closeCode: 1013, closeReason: 'capacity reached, try again later' }, 'busy'],
    [{ closeCode: 1008, closeReason: 'the rights to this conversation ended' }, 'refused'],
    [new TicketError('busy', '503'), 'busy'],
    [new TicketError('too-many', '429'), 'too-many'],
    [new TicketError('refused', '403'), 'refused'],
    [new TicketError('failed', '500'), 'connection'],
  ])('Maps %s to %s', async (error, code) => {
    vi.stubGlobal('navigator', { mediaDevices: {} });
    const interview = open({ call: refusing(error) });
    await interview.start('voice');
    expect(interview.snapshot().conversation).toEqual({ status: 'error', code, way: 'voice' });
    vi.unstubAllGlobals();
  });

  test('Tries another microphone after the chosen one is missing', async () => {
    const interview = open({ call: refusing(new DOMException('', 'OverconstrainedError')) });
    await interview.chooseInput('headset');
    await interview.start('voice');
    expect(interview.snapshot().inputId).toBeUndefined();
  });
});

describe('§4 end', () => {
  test('Ends at once for the user, before the cleanup of the client', async () => {
    const interview = open();
    await interview.start('voice');
    interview.end();
    expect(line.did.at(-1)).toBe('end');
    expect(interview.snapshot().conversation).toEqual({ status: 'ended', by: 'user', way: 'voice' });
    expect(awake).toBe(0);
    line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }));
    expect(interview.snapshot().conversation).toEqual({ status: 'ended', by: 'user', way: 'voice' });
  });

  describe('Words that the server understands only after the end', () => {
    const SHOWN = 'Interviewer: Frage?';
    const WHOLE = `${SHOWN}\n\nDu: Meine letzte Antwort.`;
    let row: string;
    let looks: number;
    const readTranscript = async (): Promise<string> => {
      looks += 1;
      return row;
    };
    const endInterview = async (change: Partial<InterviewDeps> = {}): Promise<Interview> => {
      [row, looks] = [SHOWN, 0];
      const interview = open({ readTranscript, ...change });
      await interview.start('voice');
      say({ speaker: 'agent', text: 'Frage?' });
      interview.end();
      return interview;
    };
    const transcript = (interview: Interview): string => interview.snapshot().dialogue.transcript;

    test('Are added as soon as the row has them', async () => {
      const interview = await endInterview();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(transcript(interview)).toBe(SHOWN);
      row = WHOLE;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(transcript(interview)).toBe(WHOLE);
      expect([looks, vi.getTimerCount()]).toEqual([2, 0]);
    });

    test('Are added to a correction that is being written, and change no corrected text', async () => {
      const interview = await endInterview();
      interview.draft('Interviewer: Die Frage?');
      row = WHOLE;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(interview.snapshot().dialogue.draft).toBe('Interviewer: Die Frage?\n\nDu: Meine letzte Antwort.');
      const corrected = await endInterview();
      corrected.edit('Interviewer: Die Frage?');
      row = WHOLE;
      await vi.runAllTimersAsync();
      expect(transcript(corrected)).toBe('Interviewer: Die Frage?');
    });

    test('Are not looked for without end, where nothing answers, or after the screen was left', async () => {
      const silent = await endInterview({ readTranscript: () => Promise.reject(new Error('offline')) });
      await vi.runAllTimersAsync();
      expect(transcript(silent)).toBe(SHOWN);
      const left = await endInterview();
      left.end();
      expect([looks, vi.getTimerCount()]).toEqual([0, 0]);
    });

    test('Do not replace what is said in the next interview', async () => {
      const interview = await endInterview();
      row = WHOLE;
      await interview.start('voice');
      await vi.runAllTimersAsync();
      expect([transcript(interview), looks]).toEqual(['', 0]);
    });
  });

  test('Ends by the agent', async () => {
    const interview = open();
    await interview.start('voice');
    line.report((events) => events.onEnd({ by: 'agent' }));
    expect(interview.snapshot().conversation).toEqual({ status: 'ended', by: 'agent', way: 'voice' });
    expect(awake).toBe(0);
  });

  test.each([
    [1006, 'dropped'],
    [1001, 'dropped'],
    [1008, 'limit'],
    [1008, 'refused', 'the rights to this conversation ended'],
    [1008, 'too-many', 'too many conversations at once'],
    [1011, 'service'],
    [1013, 'busy'],
  ])('Maps close code %i to %s', async (closeCode, code, closeReason?: string) => {
    const interview = open();
    await interview.start('voice');
    line.report((events) => events.onEnd({ by: 'lost', closeCode, closeReason }));
    expect(interview.snapshot().conversation).toEqual({ status: 'error', code, way: 'voice' });
  });

  test('Ignores events of an old conversation', async () => {
    const interview = open();
    await interview.start('voice');
    const old = line;
    interview.end();
    line = createFakeCall();
    await interview.start('voice');
    old.report((events) => events.onEnd({ by: 'agent' }));
    expect(status(interview)).toBe('connected');
  });

  test('Adds the times of a dropped and resumed interview', async () => {
    const interview = open();
    await interview.start('voice');
    await vi.advanceTimersByTimeAsync(5_000);
    line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(interview.snapshot()).toMatchObject({ before: 5_000, since: undefined });
    line = createFakeCall();
    await interview.start('voice', { resume: true });
    expect(interview.snapshot().before).toBe(5_000);
  });
});

describe('§4 drop and resume', () => {
  const turns = fc.array(
    fc.record({
      speaker: fc.constantFrom('agent' as const, 'user' as const),
      text: fc.stringMatching(/^[a-zäöüß]{1,12}$/),
    }),
    { maxLength: 12 },
  );

  test('Keeps every received line after a cut at any point, and resumes from there', async () => {
    await fc.assert(
      fc.asyncProperty(turns, turns, async (before, after) => {
        line = createFakeCall();
        asked = [];
        const interview = open();
        await interview.start('voice');
        for (const turn of before) say(turn);
        line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }));
        const kept = formatTranscript(before);
        expect(interview.snapshot().dialogue.transcript).toBe(kept);
        line = createFakeCall();
        await interview.start('voice', { resume: true });
        expect(asked[1]?.request).toEqual({ textOnly: false, resume: true, transcript: kept });
        for (const turn of after) say(turn);
        interview.end();
        expect(interview.snapshot().dialogue.transcript).toBe(formatTranscript(after, kept));
      }),
      { numRuns: 50 },
    );
  });
});

describe('Typed answers', () => {
  const drop = (): void => line.report((events) => events.onEnd({ by: 'lost', closeCode: 1006 }));
  const field = (interview: Interview): string => interview.snapshot().answers.text;

  test('An answer without an echo is back in the field after a break, and is said once', async () => {
    const interview = open();
    await interview.start('typing');
    interview.write('Eine Halle');
    interview.say('Eine Halle');
    expect(field(interview)).toBe('');
    drop();
    expect(field(interview)).toBe('Eine Halle');
    line = createFakeCall();
    await interview.start('typing', { resume: true });
    interview.say(field(interview));
    say({ speaker: 'user', text: 'Eine Halle' });
    interview.end();
    expect(line.did.filter((deed) => deed.startsWith('say'))).toEqual(['say Eine Halle']);
    expect(interview.snapshot().dialogue.transcript).toBe('Du: Eine Halle');
  });

  test('An answer whose echo was lost is not said again where the server knows it', async () => {
    const known = 'Interviewer: Was baut ihr?\n\nDu: Eine Halle\n\nInterviewer: Wo?';
    const interview = open({
      ticket: async (request) => ({ ...TICKET, ...(request.resume ? { transcript: known } : {}) }),
    });
    await interview.start('typing');
    say({ speaker: 'agent', text: 'Was baut ihr?' });
    interview.say('Eine Halle');
    drop();
    line = createFakeCall();
    await interview.start('typing', { resume: true });
    expect(field(interview)).toBe('');
    expect(interview.snapshot().dialogue.transcript).toBe(known);
  });

  test.each<[string, (interview: Interview) => void, string[]]>([
    ['the person ends', (interview) => interview.end(), ['say In Bremen', 'end']],
    ['the interviewer ends', () => line.report((events) => events.onEnd({ by: 'agent' })), []],
  ])('%s: what was typed is in the transcript', async (_name, end, did) => {
    const interview = open();
    await interview.start('typing');
    interview.say('Eine Halle');
    say({ speaker: 'user', text: 'Eine Halle' });
    say({ speaker: 'agent', text: 'Wo?' });
    interview.write('In Bremen');
    end(interview);
    expect(line.did.slice(3)).toEqual(did);
    expect(interview.snapshot().dialogue.transcript).toBe('Du: Eine Halle\n\nInterviewer: Wo?\n\nDu: In Bremen');
    expect(field(interview)).toBe('');
  });

  test('The interviewer hears of every key: who writes is not asked again, nor thought to be gone', async () => {
    const interview = open();
    interview.write('E');
    await interview.start('voice');
    interview.write('Ei');
    interview.write('Ein');
    expect(line.did.filter((deed) => deed === 'typing')).toHaveLength(2);
  });

  test('A reload gives back what was typed', () => {
    const answers = { text: 'Und', unconfirmed: ['Eine Halle'], returned: [] };
    const interview = open({}, { way: 'typing', transcript: '', answers, ended: false, saved: false, lengthMs: 0 });
    expect(field(interview)).toBe('Eine Halle\nUnd');
  });
});

describe('Page hidden', () => {
  test('Releases everything at once and offers to resume', async () => {
    const interview = open();
    await interview.start('voice');
    say({ speaker: 'user', text: 'Eine Halle' });
    interview.suspend();
    expect(line.did.at(-1)).toBe('end');
    expect(awake).toBe(0);
    expect(interview.snapshot().conversation).toEqual({ status: 'error', code: 'interrupted', way: 'voice' });
    expect(interview.snapshot().dialogue.transcript).toBe('Du: Eine Halle');
  });

  test('Cancels a start', async () => {
    const interview = open({ ticket: never });
    const starting = interview.start('voice');
    interview.suspend();
    await starting;
    expect(status(interview)).toBe('idle');
  });

  test('Restores the transcript after a reload and continues it', async () => {
    const known = 'Du: Eine Halle\n\nInterviewer: Wo?';
    const ticket = { ...TICKET, transcript: known };
    const interview = open(
      { ticket: async (request) => (asked.push({ request }), ticket) },
      { way: 'typing', transcript: 'Du: Eine Halle', ended: false, saved: false, lengthMs: 0 },
    );
    await interview.preload();
    expect(interview.snapshot().conversation).toEqual({ status: 'error', code: 'interrupted', way: 'typing' });
    await interview.start('typing', { resume: true });
    expect(asked[0]?.request).toEqual({ textOnly: true, resume: true, transcript: 'Du: Eine Halle' });
    expect(interview.snapshot().dialogue.transcript).toBe(known);
  });
});

describe('controls', () => {
  test('Passes mute, volume, feedback and typing to the call, and reads its levels', async () => {
    const interview = open();
    await interview.start('voice');
    expect(interview.levels()).toEqual({ input: 0.5, output: 0.25 });
    interview.mute(true);
    expect(interview.levels().input).toBe(0);
    interview.setVolume(0.4);
    interview.rate(1, false);
    interview.say('Hallo');
    await interview.chooseInput('headset');
    expect(line.did).toEqual(['volume 1', 'mute true', 'volume 0.4', 'rate 1 false', 'say Hallo', 'input headset']);
  });

  test('Keeps the old microphone when the new one does not open', async () => {
    line = createFakeCall({ useInput: () => Promise.reject(new DOMException('', 'NotReadableError')) });
    const interview = open();
    await interview.start('voice');
    await interview.chooseInput('broken');
    expect(interview.snapshot().inputId).toBeUndefined();
  });

  test('Goes on with the default microphone when the one in use is unplugged', async () => {
    const interview = open();
    await interview.chooseInput('headset');
    await interview.start('voice');
    line.report((events) => events.onMicrophoneLost());
    await vi.waitFor(() => expect(line.did).toContain('input undefined'));
    expect(interview.snapshot()).toMatchObject({ inputId: undefined, conversation: { status: 'connected' } });
  });

  test.each([
    ['there is no other one', 'NotFoundError', 'microphone-missing'],
    ['the permission was withdrawn', 'NotAllowedError', 'microphone-denied'],
  ])('Breaks off and says why when the microphone goes and %s: nobody is heard any more', async (_why, name, code) => {
    line = createFakeCall({ useInput: () => Promise.reject(new DOMException('', name)) });
    const interview = open();
    await interview.start('voice');
    line.report((events) => events.onMicrophoneLost());
    await vi.waitFor(() => expect(status(interview)).toBe('error'));
    expect(interview.snapshot().conversation).toMatchObject({ code });
    expect(line.did.at(-1)).toBe('end');
  });

  test('Refuses edits while active (§2.5)', async () => {
    const interview = open();
    await interview.start('typing');
    interview.edit('Du: Falsch');
    expect(interview.snapshot().dialogue.transcript).toBe('');
    interview.end();
    interview.edit('Du: Richtig');
    expect(interview.snapshot().dialogue.transcript).toBe('Du: Richtig');
  });
});
