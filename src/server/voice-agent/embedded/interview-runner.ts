import { END_CALL_TOOL, SET_W_ANSWER_TOOL } from '#contract/voice.ts';
import { sendUserTranscript, type EngineContext } from '../engines/engine.ts';
import type { Interviewer, InterviewerAction } from '../interviewer/interviewer.ts';
import { describeError } from '../services.ts';
import { ENDINGS } from '../wire/ending.ts';
import { createUtterance, type CutTurn, type Utterance, type UtteranceOptions } from './utterance.ts';

/** Runs one embedded interview: takes answers and performs the interviewer's turns, for voice and typing alike. */
export type InterviewRunner = Readonly<{
  open: () => void;
  /** Completes the user's turn; words still without an answer come before it. */
  answer: (words: string) => void;
  /** The user speaks over the interviewer. */
  interrupt: () => void;
  /** What interrupted the interviewer were no words: says again what was not heard. */
  resume: () => void;
  reprompt: () => void;
  /** Says a sentence outside of the interview's questions. */
  interject: (sentence: string) => void;
  stop: () => void;
}>;

export type InterviewRunnerOptions = Readonly<{
  context: EngineContext;
  interviewer: Interviewer;
  voice: UtteranceOptions['voice'];
  /** Called when the interviewer starts and stops speaking. */
  onAgentSpeaking: (speaking: boolean) => void;
  /** Whether the user is in the middle of a turn. */
  userSpeaks: () => boolean;
}>;

type Reply = {
  utterance: Utterance;
  abort: AbortController;
  answered: string;
  heard: boolean;
  /** Why the interview ends after this reply. */
  ends: Extract<InterviewerAction, { kind: 'end' }>['reason'] | undefined;
};

/** How long a user who speaks over the closing words may go on. */
const LAST_WORDS_MS = 10_000;

export function createInterviewRunner({
  context,
  interviewer,
  voice,
  onAgentSpeaking,
  userSpeaks,
}: InterviewRunnerOptions): InterviewRunner {
  let current: Reply | undefined;
  let unanswered = '';
  /** Cut by a sound; words will tell whether it was an interruption. */
  let cutTurn: CutTurn | undefined;
  let over = false;

  const performActions = async (
    actions: AsyncIterable<InterviewerAction> | Iterable<InterviewerAction>,
    reply: Reply,
  ): Promise<void> => {
    for await (const action of actions) {
      if (reply.abort.signal.aborted || over) return;
      if (action.kind === 'say') reply.utterance.say(action.sentence);
      else if (action.kind === 'end') reply.ends = action.reason;
      else sendToolCall(context, action);
    }
    if (reply.abort.signal.aborted || over) return;
    reply.utterance.finish(() => {
      reply.heard = true;
      onAgentSpeaking(false);
      if (reply.ends === undefined) return;
      if (userSpeaks()) context.clock.after(LAST_WORDS_MS, () => current === reply && endInterview());
      else endInterview();
    });
  };

  const endInterview = (): void => {
    if (over) return;
    sendEndCall(context);
    context.end(ENDINGS.done);
  };

  /** After the closing words the interview asks and answers nothing more. */
  const isClosing = (): boolean => current?.ends === 'finished';

  const start = (
    actions: (signal: AbortSignal) => AsyncIterable<InterviewerAction> | Iterable<InterviewerAction>,
    answered: string,
    repeats = false,
  ): void => {
    const abort = new AbortController();
    cutTurn = undefined;
    const utterance = createUtterance({
      eventId: context.nextEventId(),
      repeats,
      send: context.send,
      clock: context.clock,
      voice,
      onError: (error) => context.log.warn({ cause: describeError(error) }, 'speech service failed'),
    });
    const reply: Reply = { utterance, abort, answered, heard: false, ends: undefined };
    current = reply;
    onAgentSpeaking(true);
    performActions(actions(abort.signal), reply).catch((error: unknown) => {
      context.log.error({ cause: describeError(error) }, 'interviewer failed');
      context.end(ENDINGS.engine);
    });
  };

  const interrupt = (): void => {
    // A goodbye over the closing words does not interrupt them.
    if (isClosing()) return;
    const reply = current;
    current = undefined;
    if (reply === undefined || reply.heard) return;
    reply.abort.abort();
    cutTurn = reply.utterance.cut();
    onAgentSpeaking(false);
    if (cutTurn !== undefined || reply.answered === '') return;
    // The reply was not noticed, so its answer still needs one.
    interviewer.retract();
    unanswered = reply.answered;
  };

  const replyTo = (words: string): void => {
    unanswered = '';
    start((signal) => interviewer.reply(words, signal), words);
  };

  return {
    open: () => start((signal) => interviewer.open(signal), ''),
    answer: (words) => {
      if (over) return;
      if (isClosing()) {
        sendUserTranscript(context, words);
        return endInterview();
      }
      interrupt();
      cutTurn?.correct();
      const whole = `${unanswered} ${words}`.trim();
      sendUserTranscript(context, whole);
      replyTo(whole);
    },
    interrupt,
    resume: () => {
      const rest = cutTurn?.rest ?? [];
      if (over || current !== undefined) return;
      if (unanswered !== '') replyTo(unanswered);
      else if (rest.length > 0) start(() => rest.map((sentence) => ({ kind: 'say', sentence })), '', true);
    },
    reprompt: () => (isClosing() ? endInterview() : start(() => interviewer.reprompt(), '')),
    interject: (sentence) => (isClosing() ? endInterview() : start(() => [{ kind: 'say', sentence }], '')),
    stop: () => {
      over = true;
      current?.abort.abort();
      if (current?.heard === false) current.utterance.close();
    },
  };
}

function sendToolCall(context: EngineContext, action: Extract<InterviewerAction, { kind: 'w-answer' }>): void {
  const eventId = context.nextEventId();
  context.send({
    type: 'client_tool_call',
    client_tool_call: {
      tool_name: SET_W_ANSWER_TOOL,
      tool_call_id: `${SET_W_ANSWER_TOOL}_${eventId}`,
      parameters: { ...action.answer },
      event_id: eventId,
    },
  });
}

function sendEndCall(context: EngineContext): void {
  const eventId = context.nextEventId();
  context.send({
    type: 'agent_tool_response',
    agent_tool_response: {
      tool_name: END_CALL_TOOL,
      tool_call_id: `${END_CALL_TOOL}_${eventId}`,
      tool_type: 'system',
      is_error: false,
      is_called: true,
      event_id: eventId,
    },
  });
}
