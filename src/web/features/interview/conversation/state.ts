import type { AudioInput } from '#web/speech/inputs.ts';
import type { KeptInterview } from '../kept-interview.ts';
import { mainButtonTexts } from '../texts.ts';
import { CONNECT_PROGRESS_CAP } from '#contract/limits.ts';
import type { InputMode } from '../voice/call.ts';
import { type Answers, NO_ANSWERS, reduceAnswers } from './answers.ts';
import { createDialogue, type Dialogue } from './dialogue.ts';
import type { InterviewErrorCode } from './errors.ts';

/**
 * §4 'Voice interview connection'. `preparing`: the preload initialises. `progress` in percent. `before`: where a start
 * began, and goes back to when it is cancelled.
 */
export type ConversationState =
  | Readonly<{ status: 'idle' | 'preparing' }>
  | Readonly<{ status: 'connecting'; way: InputMode; progress: number; before: ConversationState }>
  | Readonly<{ status: 'connected'; way: InputMode; progress: 100 }>
  | Readonly<{ status: 'ended'; by: 'user' | 'agent'; way: InputMode }>
  | Readonly<{ status: 'error'; code: InterviewErrorCode; way: InputMode }>;

export type ConversationEvent =
  | Readonly<{ type: 'preload-started' | 'preload-over' }>
  | Readonly<{ type: 'start'; way: InputMode }>
  /** §9: every 100 ms. */
  | Readonly<{ type: 'tick' }>
  | Readonly<{ type: 'connected' }>
  | Readonly<{ type: 'failed'; code: InterviewErrorCode }>
  | Readonly<{ type: 'ended'; by: 'user' | 'agent' }>
  | Readonly<{ type: 'dropped'; code: InterviewErrorCode }>
  /** By the person while connecting. */
  | Readonly<{ type: 'cancelled' }>;

export const IDLE: ConversationState = { status: 'idle' };

/** Ignores events that do not fit the state, such as a second click or a late answer. */
export function reduceConversation(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (state.status) {
    case 'idle':
    case 'ended':
    case 'error':
      if (event.type === 'start') return { status: 'connecting', way: event.way, progress: 0, before: state };
      return event.type === 'preload-started' && state.status === 'idle' ? { status: 'preparing' } : state;
    case 'preparing':
      // After a failed preload the start loads again.
      return event.type === 'preload-over' ? IDLE : state;
    case 'connecting':
      return reduceConnecting(state, event);
    default:
      if (event.type === 'ended') return { status: 'ended', by: event.by, way: state.way };
      return event.type === 'dropped' ? { status: 'error', code: event.code, way: state.way } : state;
  }
}

function reduceConnecting(
  state: ConversationState & { status: 'connecting' },
  event: ConversationEvent,
): ConversationState {
  switch (event.type) {
    case 'tick':
      return { ...state, progress: advanceProgress(state.progress) };
    case 'connected':
      return { status: 'connected', way: state.way, progress: 100 };
    case 'failed':
      return { status: 'error', code: event.code, way: state.way };
    case 'cancelled':
      return state.before;
    default:
      return state;
  }
}

/** Slows down towards the cap, because the duration is unknown (D18). */
function advanceProgress(progress: number): number {
  return Math.min(CONNECT_PROGRESS_CAP, progress + Math.max(0.5, (CONNECT_PROGRESS_CAP - progress) / 25));
}

/** Label, state and action of the main button (§4). */
export type MainButton = Readonly<{ label: string; disabled: boolean; action: 'start' | 'end' }>;

export function getMainButton({ status }: ConversationState): MainButton {
  const disabled = status === 'preparing' || status === 'connecting';
  return { label: mainButtonTexts[status], disabled, action: status === 'connected' ? 'end' : 'start' };
}

/** Whether a microphone may be open: editing and leaving the page are blocked. */
export function isActive({ status }: ConversationState): boolean {
  return status === 'connecting' || status === 'connected';
}

export type InterviewSnapshot = Readonly<{
  conversation: ConversationState;
  dialogue: Dialogue;
  answers: Answers;
  agentSpeaks: boolean;
  /** Whether a microphone is open, perhaps `muted`; else the person types. */
  microphoneOpen: boolean;
  speaks: boolean;
  muted: boolean;
  /** The device gives silence, as during a phone call. */
  silenced: boolean;
  volume: number;
  inputs: readonly AudioInput[];
  inputId: string | undefined;
  /** Length of the earlier conversations of this interview, ms. */
  before: number;
  /** When the running one was connected (`deps.now`). */
  since: number | undefined;
}>;

export function createSnapshot(kept: KeptInterview | undefined): InterviewSnapshot {
  return {
    conversation: kept === undefined ? IDLE : toConversation(kept),
    dialogue: { ...createDialogue(kept?.transcript), draft: kept?.draft },
    answers: reduceAnswers(kept?.answers ?? NO_ANSWERS, { type: 'broken' }),
    agentSpeaks: false,
    microphoneOpen: false,
    speaks: false,
    muted: false,
    silenced: false,
    volume: 1,
    inputs: [],
    inputId: undefined,
    before: kept?.lengthMs ?? 0,
    since: undefined,
  };
}

/** One that was not ended starts in the error state, from which it can be resumed. */
function toConversation({ ended, way }: KeptInterview): ConversationState {
  return ended ? { status: 'ended', by: 'user', way } : { status: 'error', code: 'interrupted', way };
}
