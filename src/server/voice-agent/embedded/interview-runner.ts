import { END_CALL_TOOL, SET_W_ANSWER_TOOL } from '#contract/voice.ts';
import { sendUserTranscript, type EngineContext } from '../engines/engine.ts';
import type { Interviewer, InterviewerAction } from '../interviewer/interviewer.ts';
import { describeError } from '../services.ts';
import { ENDINGS } from '../errors.ts';
import { Utterance, type CutTurn, type UtteranceOptions } from './utterance.ts';

export type InterviewRunnerOptions = Readonly<{
  context: EngineContext;
  interviewer: Interviewer;
  voice: UtteranceOptions['voice'];
  /** Called with true before the interviewer is asked, with false once it was heard or interrupted. */
  onAgentTurn: (hasTurn: boolean) => void;
  /** Whether the user is in the middle of a turn. */
  userSpeaks: () => boolean;
}>;

type Actions = ReturnType<Interviewer['open']>;

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

export type InterviewRunner = Pick<EmbeddedInterviewRunner, keyof EmbeddedInterviewRunner>;

/** Runs one embedded interview: takes answers and performs the interviewer's turns, for voice and typing alike. */
export class EmbeddedInterviewRunner {
  readonly #options: InterviewRunnerOptions;
  #current: Reply | undefined;
  #unanswered = '';
  /** Since the last answer. */
  #reprompts = 0;
  /** Cut by a sound; words will tell whether it was an interruption. */
  #cutTurn: CutTurn | undefined;
  #over = false;

  constructor(options: InterviewRunnerOptions) {
    this.#options = options;
  }

  readonly open = (): void => this.#start((signal) => this.#options.interviewer.open(signal), '');

  /** Completes the user's turn; words still without an answer come before it. */
  readonly answer = (words: string): void => {
    if (this.#over) return;
    this.#reprompts = 0;
    if (this.#isClosing()) {
      sendUserTranscript(this.#options.context, words);
      return this.#endInterview();
    }
    this.interrupt();
    this.#cutTurn?.correct();
    const whole = `${this.#unanswered} ${words}`.trim();
    sendUserTranscript(this.#options.context, whole);
    this.#replyTo(whole);
  };

  /** What interrupted the interviewer were no words: says again what was not heard. */
  readonly resume = (): void => {
    const rest = this.#cutTurn?.rest ?? [];
    if (this.#over || this.#current !== undefined) return;
    if (this.#unanswered !== '') this.#replyTo(this.#unanswered);
    else if (rest.length > 0) this.#start(() => rest.map((sentence) => ({ kind: 'say', sentence })), '', true);
  };

  readonly reprompt = (): void =>
    this.#isClosing()
      ? this.#endInterview()
      : this.#start(() => this.#options.interviewer.reprompt(this.#reprompts++), '');

  /** Says a sentence and the question again, whose line in the transcript it replaces (§3). */
  readonly interject = (sentence: string): void => {
    if (this.#isClosing()) return this.#endInterview();
    // A typed answer has been replied to meanwhile.
    if (this.#current?.heard === false) return;
    this.#start(() => [{ kind: 'say', sentence }, ...this.#options.interviewer.repeat()], '');
  };

  /** Records words that were understood only after the end, with those before them that have no answer. */
  readonly record = (words: string): void =>
    sendUserTranscript(this.#options.context, `${this.#unanswered} ${words}`.trim());

  readonly stop = (): void => {
    this.#over = true;
    const reply = this.#current;
    reply?.abort.abort();
    if (reply?.heard === false && !reply.utterance.close()) this.#unanswered = reply.answered;
  };

  async #performActions(actions: Actions, reply: Reply): Promise<void> {
    for await (const action of actions) {
      if (reply.abort.signal.aborted || this.#over) return;
      if (action.kind === 'say') reply.utterance.say(action.sentence);
      else if (action.kind === 'end') reply.ends = action.reason;
      else sendToolCall(this.#options.context, action);
    }
    if (reply.abort.signal.aborted || this.#over) return;
    reply.utterance.finish(() => {
      reply.heard = true;
      this.#options.onAgentTurn(false);
      if (reply.ends === undefined) return;
      if (this.#options.userSpeaks())
        this.#options.context.clock.after(LAST_WORDS_MS, () => this.#current === reply && this.#endInterview());
      else this.#endInterview();
    });
  }

  #endInterview(): void {
    if (this.#over) return;
    // Who is gone may come back: only an interview that breaks off can be continued.
    if (this.#current?.ends === 'unresponsive') return this.#options.context.end(ENDINGS.idle);
    sendEndCall(this.#options.context);
    this.#options.context.end(ENDINGS.done);
  }

  /** After the closing words the interview asks and answers nothing more. */
  #isClosing(): boolean {
    return this.#current?.ends === 'finished';
  }

  #start(actions: (signal: AbortSignal) => Actions, answered: string, repeats = false): void {
    const abort = new AbortController();
    this.#cutTurn = undefined;
    const { context, voice } = this.#options;
    const { nextEventId, send, clock, log } = context;
    const onError = (error: unknown): void => log.warn({ cause: describeError(error) }, 'speech service failed');
    const utterance = new Utterance({ eventId: nextEventId(), repeats, send, clock, voice, onError });
    const reply: Reply = { utterance, abort, answered, heard: false, ends: undefined };
    this.#current = reply;
    this.#options.onAgentTurn(true);
    this.#performActions(actions(abort.signal), reply).catch((error: unknown) => {
      log.error({ cause: describeError(error) }, 'interviewer failed');
      context.end(ENDINGS.engine);
    });
  }

  /** The user speaks over the interviewer. */
  interrupt(): void {
    // A goodbye over the closing words does not interrupt them.
    if (this.#isClosing()) return;
    const reply = this.#current;
    this.#current = undefined;
    if (reply === undefined || reply.heard) return;
    reply.abort.abort();
    this.#cutTurn = reply.utterance.cut();
    this.#options.onAgentTurn(false);
    if (this.#cutTurn !== undefined || reply.answered === '') return;
    // The reply was not noticed, so its answer still needs one.
    this.#options.interviewer.retract();
    this.#unanswered = reply.answered;
  }

  #replyTo(words: string): void {
    this.#unanswered = '';
    this.#start((signal) => this.#options.interviewer.reply(words, signal), words);
  }
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
