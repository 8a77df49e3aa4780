import type { Speaker } from '#contract/transcript.ts';

/** How the person takes part. `voice` becomes typing where neither server nor browser can listen. */
export type InputMode = 'voice' | 'typing';

/** Who ended a conversation; `lost`: the connection broke or the server failed. */
export type CallEnd =
  | Readonly<{ by: 'user' | 'agent' }>
  | Readonly<{ by: 'lost'; closeCode: number | undefined; closeReason?: string | undefined }>;

export type SaidTurn = Readonly<{ speaker: Speaker; text: string; eventId: number | undefined }>;

export type CallEvents = Readonly<{
  onTurn: (turn: SaidTurn) => void;
  /** The interviewer was interrupted; `corrected` was heard. */
  onCorrection: (original: string, corrected: string) => void;
  /** The words being spoken right now, as far as recognized. */
  onTentative: (text: string) => void;
  onSpeaking: (agentSpeaks: boolean) => void;
  /** A browser's recognition may stop during the conversation. */
  onListening: (listening: boolean) => void;
  /** The microphone was unplugged, or its permission withdrawn. */
  onMicrophoneLost: () => void;
  /** The device gives silence, as during a phone call, or gives sound again. */
  onMicrophoneMuted: (muted: boolean) => void;
  onEnd: (end: CallEnd) => void;
}>;

/** A running conversation with any engine. Reports nothing after `onEnd`. */
export type Call = Readonly<{
  conversationId: string;
  /** Whether a microphone is open; else the conversation is in writing. */
  microphoneOpen: boolean;
  /** Whether the interviewer can be heard. */
  speaks: boolean;
  /** Reports all events, starting with the buffered ones. */
  subscribe: (events: CallEvents) => void;
  say: (text: string) => void;
  /** The person is writing an answer: the interviewer waits, and does not take the silence for an end. */
  noteTyping: () => void;
  rate: (liked: boolean, eventId: number) => void;
  mute: (muted: boolean) => void;
  /** 0 to 1. */
  setVolume: (volume: number) => void;
  /** Rejects where the microphone does not open; the old one stays in use. */
  useInput: (id: string | undefined) => Promise<void>;
  /** 0 to 1: how loud the person, and how loud the interviewer is right now. */
  levels: () => Readonly<{ input: number; output: number }>;
  /** Ends the conversation and releases the microphone; may be repeated. */
  end: () => void;
}>;

/** Buffers events until a listener is set. */
export function createEventBuffer(): Readonly<{
  report: (deliver: (events: CallEvents) => void) => void;
  subscribe: Call['subscribe'];
}> {
  const buffered: ((events: CallEvents) => void)[] = [];
  let listener: CallEvents | undefined;
  return {
    report: (deliver) => {
      if (listener === undefined) buffered.push(deliver);
      else deliver(listener);
    },
    subscribe: (events) => {
      listener = events;
      for (const deliver of buffered.splice(0)) deliver(events);
    },
  };
}

/** Rejects at once when aborted; the work cleans up when it notices. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(signal.reason);
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  return Promise.race([work, aborted]);
}
