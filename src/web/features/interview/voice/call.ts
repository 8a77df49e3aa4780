import type { Speaker } from '#contract/transcript.ts';

/** How the person takes part. `voice` becomes typing where neither server nor browser can listen. */
export type Way = 'voice' | 'typing';

/** Who ended a conversation; `lost`: the line, or the server, and not on purpose. */
export type CallEnd = Readonly<{ by: 'user' | 'agent' }> | Readonly<{ by: 'lost'; closeCode: number | undefined }>;

export type SaidTurn = Readonly<{ speaker: Speaker; text: string; eventId: number | undefined }>;

export type CallEvents = Readonly<{
  onTurn: (turn: SaidTurn) => void;
  /** The interviewer was interrupted: only this much of it was heard. */
  onCorrection: (original: string, corrected: string) => void;
  /** What the person is saying right now, as far as it was understood. */
  onTentative: (text: string) => void;
  onSpeaking: (agentSpeaks: boolean) => void;
  /** Whether somebody listens: a browser's recognition may give up in the middle. */
  onListening: (listening: boolean) => void;
  onEnd: (end: CallEnd) => void;
}>;

/** A running conversation, whichever engine is behind it. After `onEnd` nothing more is reported. */
export type Call = Readonly<{
  conversationId: string;
  /** Whether a microphone is open; else the conversation is in writing. */
  listens: boolean;
  /** Whether the interviewer can be heard. */
  speaks: boolean;
  /** Reports from now on, starting with what has come already. */
  listen: (events: CallEvents) => void;
  say: (text: string) => void;
  rate: (liked: boolean, eventId: number) => void;
  mute: (muted: boolean) => void;
  /** 0 to 1. */
  setVolume: (volume: number) => void;
  /** Rejects where the microphone cannot be had; the old one goes on. */
  useInput: (id: string | undefined) => Promise<void>;
  /** 0 to 1: how loud the person, and how loud the interviewer is right now. */
  levels: () => Readonly<{ input: number; output: number }>;
  /** Ends it and lets go of the microphone. Calling it again does no harm. */
  end: () => void;
}>;

/** Holds reports back until somebody listens. */
export function heldEvents(): Readonly<{
  report: (tell: (events: CallEvents) => void) => void;
  listen: Call['listen'];
}> {
  const held: ((events: CallEvents) => void)[] = [];
  let listener: CallEvents | undefined;
  return {
    report: (tell) => {
      if (listener === undefined) held.push(tell);
      else tell(listener);
    },
    listen: (events) => {
      listener = events;
      for (const tell of held.splice(0)) tell(events);
    },
  };
}
