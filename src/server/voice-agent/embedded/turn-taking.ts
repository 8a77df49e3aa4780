export const TURN_TAKING = {
  /** Silence that ends a turn; people pause to think. */
  endSilenceMs: 900,
  /** Silence after which the segment is transcribed early: most pauses this long end a turn. */
  pauseMs: 300,
  /** Speech after which the first pause ends a segment, though not the turn: a segment that is full loses words. */
  longSegmentMs: 60_000,
  /** After a hesitation word. */
  hesitationSilenceMs: 2_000,
  /** Speech this long interrupts the interviewer. */
  bargeInMs: 300,
  /** Speech shorter than this is a click or a cough. */
  speechMinMs: 200,
  /** A dip this short is still the same speech. */
  dipMs: 160,
  repromptMs: 10_000,
  /** A piece (250 ms) and some delay; until the next one comes, silence is taken to last. */
  pieceWaitMs: 300,
  /** Audio missing for this long counts as silence: the microphone has stopped. */
  missingMs: 2_500,
} as const;

export type TurnInput =
  /** One frame of the user's audio, `ms` long: when its last sample was spoken and when that sample arrived. */
  | Readonly<{ kind: 'frame'; speech: boolean; ms: number; spokenAt: number; arrivedAt: number }>
  /** The interviewer thinks or speaks; it was heard to the end or interrupted. */
  | Readonly<{ kind: 'agent-turn-begins' | 'agent-turn-ends' }>
  /** The words of the last segment; `hesitates`: they end in the middle of a thought. */
  | Readonly<{ kind: 'words'; empty: boolean; hesitates: boolean }>
  /** The user is active in another way, such as typing. */
  | Readonly<{ kind: 'activity' }>
  | Readonly<{ kind: 'tick' }>;

export type TurnOutput =
  /** Collect audio from here on, with the pre-roll. */
  | 'segment-begins'
  /** Too short to be speech. */
  | 'segment-dropped'
  /** The segment may be over: it can be transcribed early. */
  | 'pause-begins'
  /** The user goes on speaking: the early transcription is incomplete. */
  | 'pause-ends'
  /** Transcribe the segment. */
  | 'segment-ends'
  | 'barge-in'
  /** The words so far are the user's turn. */
  | 'turn-ends'
  | 'reprompt';

export type TurnState = Readonly<{
  /** Whether the interviewer thinks or speaks. */
  agentHasTurn: boolean;
  /** Start of the current speech; undefined in silence. */
  speechSince: number | undefined;
  /** Speech in the current segment. */
  speechMs: number;
  /** The segment has a pause. */
  paused: boolean;
  /** End of the last speech. */
  lastSpeech: number;
  /** End of the last frame, and when it arrived. */
  heardUntil: number;
  heardAt: number;
  /** Segments still being transcribed. */
  awaited: number;
  /** Words are there, the turn is not over. */
  hasWords: boolean;
  hesitates: boolean;
  /** Start of the current silence of both sides. */
  quietSince: number;
}>;

export function startTurnTaking(nowMs: number): TurnState {
  return {
    agentHasTurn: false,
    speechSince: undefined,
    speechMs: 0,
    paused: false,
    lastSpeech: -Infinity,
    heardUntil: nowMs,
    heardAt: nowMs,
    awaited: 0,
    hasWords: false,
    hesitates: false,
    quietSince: nowMs,
  };
}

export type TurnStep = Readonly<{ state: TurnState; outputs: readonly TurnOutput[] }>;

/**
 * Decides whose turn it is: a pure state machine over voice activity, times in ms of one clock. Its outputs tell the
 * listener what to do with the audio. Silence is counted in audio that was heard: on a bad line audio comes late, and
 * what has not come yet may be speech.
 */
export function stepTurnTaking(state: TurnState, input: TurnInput, nowMs: number): TurnStep {
  switch (input.kind) {
    case 'frame': {
      const heard = { ...state, heardUntil: input.spokenAt, heardAt: input.arrivedAt };
      return input.speech ? onSpeech(heard, input.ms, nowMs) : onSilence(heard, nowMs);
    }
    case 'agent-turn-begins':
      return { state: { ...state, agentHasTurn: true, quietSince: nowMs }, outputs: [] };
    case 'agent-turn-ends':
      return { state: { ...state, agentHasTurn: false, quietSince: nowMs }, outputs: [] };
    case 'words':
      return onWords(state, input, nowMs);
    case 'activity':
      return { state: { ...state, quietSince: nowMs }, outputs: [] };
    default:
      return onTick(state, nowMs);
  }
}

function onSpeech(state: TurnState, ms: number, nowMs: number): TurnStep {
  const begins = state.speechSince === undefined;
  const speechMs = (begins ? 0 : state.speechMs) + ms;
  const next: TurnState = {
    ...state,
    speechSince: state.speechSince ?? nowMs,
    speechMs,
    paused: false,
    lastSpeech: state.heardUntil,
    quietSince: nowMs,
  };
  const bargesIn = state.agentHasTurn && speechMs >= TURN_TAKING.bargeInMs;
  return {
    state: bargesIn ? { ...next, agentHasTurn: false } : next,
    outputs: [
      ...(begins ? (['segment-begins'] as const) : []),
      ...endPause(state),
      ...(bargesIn ? (['barge-in'] as const) : []),
    ],
  };
}

function onSilence(state: TurnState, nowMs: number): TurnStep {
  if (state.speechSince === undefined) return endTurn(state, nowMs);
  const silent = getSilence(state, nowMs);
  const over = { ...state, speechSince: undefined, speechMs: 0, paused: false };
  if (isTooShort(state)) {
    if (silent <= TURN_TAKING.dipMs) return { state, outputs: [] };
    return { state: over, outputs: [...endPause(state), 'segment-dropped'] };
  }
  const isLong = state.speechMs >= TURN_TAKING.longSegmentMs;
  if (silent >= (isLong ? TURN_TAKING.pauseMs : TURN_TAKING.endSilenceMs)) {
    return { state: { ...over, awaited: state.awaited + 1 }, outputs: ['segment-ends'] };
  }
  if (silent < TURN_TAKING.pauseMs || state.paused) return { state, outputs: [] };
  return { state: { ...state, paused: true }, outputs: ['pause-begins'] };
}

/** While the interviewer speaks, speech too short to interrupt is a 'mhm', not an answer. */
function isTooShort({ agentHasTurn, speechMs }: TurnState): boolean {
  return agentHasTurn || speechMs < TURN_TAKING.speechMinMs;
}

function endPause({ paused }: TurnState): readonly TurnOutput[] {
  return paused ? ['pause-ends'] : [];
}

function onWords(state: TurnState, words: { empty: boolean; hesitates: boolean }, nowMs: number): TurnStep {
  const next: TurnState = {
    ...state,
    awaited: Math.max(0, state.awaited - 1),
    hasWords: state.hasWords || !words.empty,
    hesitates: words.empty ? state.hesitates : words.hesitates,
  };
  return endTurn(next, nowMs);
}

function onTick(state: TurnState, nowMs: number): TurnStep {
  const quiet = getSilence(state, nowMs) >= TURN_TAKING.endSilenceMs;
  const step = quiet ? onSilence(state, nowMs) : { state, outputs: [] };
  if (step.outputs.length > 0 || step.state.agentHasTurn || isInTurn(step.state)) return step;
  if (nowMs - step.state.quietSince < TURN_TAKING.repromptMs) return step;
  return { state: { ...step.state, quietSince: nowMs }, outputs: ['reprompt'] };
}

/** Whether the user speaks or the words of the turn are still incomplete. */
export function isInTurn(state: TurnState): boolean {
  return state.speechSince !== undefined || state.awaited > 0 || state.hasWords;
}

/** Silence since the last speech: what was heard of it, and what may be taken for it. */
function getSilence({ lastSpeech, heardUntil, heardAt }: TurnState, nowMs: number): number {
  const heard = heardUntil - lastSpeech;
  const missing = nowMs - heardAt;
  if (missing >= TURN_TAKING.missingMs) return heard + missing;
  return heard > 0 ? heard + Math.min(missing, TURN_TAKING.pieceWaitMs) : 0;
}

/** When `silence` is reached without another frame. */
function getTimeOfSilence({ lastSpeech, heardUntil, heardAt }: TurnState, silence: number): number {
  const heard = heardUntil - lastSpeech;
  const missing = Math.max(0, silence - heard);
  const isNear = heard > 0 && missing <= TURN_TAKING.pieceWaitMs;
  return heardAt + (isNear ? missing : Math.max(missing, TURN_TAKING.missingMs));
}

/** When lasting silence ends a segment or a turn; undefined where silence changes nothing. */
export function getSilenceEnd(state: TurnState): number | undefined {
  if (state.speechSince !== undefined) {
    return isTooShort(state) ? undefined : getTimeOfSilence(state, TURN_TAKING.endSilenceMs);
  }
  return state.hasWords && state.awaited === 0 ? getTimeOfSilence(state, getRequiredSilence(state)) : undefined;
}

function getRequiredSilence({ hesitates }: TurnState): number {
  return hesitates ? TURN_TAKING.hesitationSilenceMs : TURN_TAKING.endSilenceMs;
}

function endTurn(state: TurnState, nowMs: number): TurnStep {
  const isOver =
    state.hasWords &&
    state.awaited === 0 &&
    state.speechSince === undefined &&
    getSilence(state, nowMs) >= getRequiredSilence(state);
  if (!isOver) return { state, outputs: [] };
  return { state: { ...state, hasWords: false, hesitates: false, quietSince: nowMs }, outputs: ['turn-ends'] };
}

const HESITATION =
  /(?:^|\s)(?:äh+m*|ähm+|öh+m*|hm+|mhm|also|und|oder|aber|weil|dass|wenn|denn|sondern|sowie|quasi|sozusagen|moment|warte|ich glaube|ich meine|wie soll ich sagen)[\s,.…–-]*$/iu;

/** Whether words end in the middle of a thought. */
export function endsInHesitation(words: string): boolean {
  return /(?:…|\.\.\.|,|–|-)\s*$/u.test(words) || HESITATION.test(words);
}
