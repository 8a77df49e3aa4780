import type { AudioInput } from '#web/speech/inputs.ts';
import type { KeptInterview } from '../kept-interview.ts';
import { type Answers, NO_ANSWERS, reduceAnswers } from './answers.ts';
import { createDialogue, type Dialogue } from './dialogue.ts';
import { IDLE, type ConversationState } from './state.ts';

export type InterviewSnapshot = Readonly<{
  conversation: ConversationState;
  dialogue: Dialogue;
  answers: Answers;
  agentSpeaks: boolean;
  /** Whether a microphone is open, perhaps `muted`; else the person types. */
  microphoneOpen: boolean;
  speaks: boolean;
  muted: boolean;
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
