import { END_CALL_TOOL, SET_W_ANSWER_TOOL, SetWAnswerSchema } from '#contract/voice.ts';
import type { Brief, ConversationStart } from '../engines/engine.ts';
import { chat, INTERVIEW_LIMITS, type ChatEvent, type ChatMessage } from '../../language-model.ts';
import type { Service } from '../../service-request.ts';
import { BANKS } from './banks.ts';
import type { BankInterviewer } from './bank-interviewer.ts';
import type { Interviewer, InterviewerAction } from './interviewer.ts';
import { arrange, describeFacts, describeNote, LLM_TOOLS, splitSentences, writeSystemPrompt } from './llm-text.ts';

export type LlmInterviewerOptions = Readonly<{
  service: Service;
  brief: Brief;
  start: ConversationStart;
  /** Opens the interview, reprompts, and replies where the model fails. */
  bank: BankInterviewer;
  onError: (error: unknown) => void;
}>;

/** After this many answers the model is told to finish. */
const ANSWERS_MAX = 14;
/** Limit for one interview, because the model reads all notes each time. */
const NOTES_MAX = 20;
const RESUME_PROMPT =
  'Das Gespräch war unterbrochen und geht jetzt weiter. Begrüße die Person in einem kurzen Satz wieder ' +
  'und stelle deine letzte Frage noch einmal, wenn sie offen ist, sonst die nächste.';

type Actions = AsyncGenerator<InterviewerAction>;

/** An interviewer with a language model. */
export class LlmInterviewer implements Interviewer {
  readonly #options: LlmInterviewerOptions;
  readonly #resumes: boolean;
  #history: readonly ChatMessage[];
  #before: readonly ChatMessage[];
  #answers = 0;
  #notes = 0;
  #bankReplied = false;

  constructor(options: LlmInterviewerOptions) {
    this.#options = options;
    this.#resumes = options.brief.earlier.length > 0 && options.start.firstMessage === undefined;
    this.#history = beginHistory(options);
    this.#before = this.#history;
  }

  readonly open: Interviewer['open'] = (signal) =>
    this.#resumes ? this.#resume(signal) : this.#remember(this.#options.bank.open());

  readonly retract: Interviewer['retract'] = () => {
    this.#history = this.#before;
    this.#answers -= 1;
    if (this.#bankReplied) this.#options.bank.retract();
  };

  readonly reprompt: Interviewer['reprompt'] = (before) => {
    const last = this.#findQuestion();
    const actions = this.#options.bank.reprompt(before);
    return last === undefined ? actions : actions.map((action) => replaceQuestion(action, last));
  };

  readonly repeat: Interviewer['repeat'] = () => {
    const sentence = this.#findQuestion();
    return sentence === undefined ? this.#options.bank.repeat() : [{ kind: 'say', sentence }];
  };

  readonly note: Interviewer['note'] = (text) => {
    this.#notes += 1;
    if (this.#notes <= NOTES_MAX) this.#add('user', describeNote(text));
  };

  /** The bank does not know the model's questions. */
  #findQuestion(): string | undefined {
    return this.#history.findLast((message) => message.role === 'assistant')?.content;
  }

  #add(role: ChatMessage['role'], content: string): void {
    this.#history = [...this.#history, { role, content }];
  }

  #remember(actions: readonly InterviewerAction[]): readonly InterviewerAction[] {
    const text = actions.flatMap((action) => (action.kind === 'say' ? [action.sentence] : [])).join(' ');
    if (text !== '') this.#add('assistant', text);
    return actions;
  }

  /** The model's actions; when aborted it ends early and remembers nothing. */
  async *#askModel(said: InterviewerAction[], signal: AbortSignal, history = this.#history): Actions {
    try {
      for await (const action of streamActions(this.#options.service, history, signal)) {
        said.push(action);
        yield action;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.onError(error);
    }
    this.#remember(said);
  }

  async *#resume(signal: AbortSignal): Actions {
    const said: InterviewerAction[] = [];
    // It counts for this reply alone.
    yield* this.#askModel(said, signal, [...this.#history, { role: 'system', content: RESUME_PROMPT }]);
    if (!hasSpeech(said) && !signal.aborted) yield* this.#remember(this.#options.bank.open());
  }

  async *reply(answer: string, signal: AbortSignal): Actions {
    this.#before = this.#history;
    this.#bankReplied = false;
    this.#answers += 1;
    this.#add('user', answer);
    if (this.#answers === ANSWERS_MAX) this.#add('system', 'Komm jetzt zum Ende: Bedanke dich und rufe end_call auf.');
    const said: InterviewerAction[] = [];
    yield* this.#askModel(said, signal);
    if (hasSpeech(said) || signal.aborted) return;
    if (said.some((action) => action.kind === 'end')) {
      yield { kind: 'say', sentence: BANKS[this.#options.brief.topic].closing };
      return;
    }
    this.#bankReplied = true;
    for await (const action of this.#options.bank.reply(answer, signal)) {
      this.#remember([action]);
      yield action;
    }
  }
}

function beginHistory({ brief, start }: LlmInterviewerOptions): readonly ChatMessage[] {
  const facts = describeFacts(brief, start);
  return [
    { role: 'system', content: writeSystemPrompt(brief, start) },
    ...(facts === undefined ? [] : [{ role: 'user', content: facts } as const]),
    ...brief.earlier.map((turn): ChatMessage => ({
      role: turn.speaker === 'agent' ? 'assistant' : 'user',
      content: turn.text,
    })),
  ];
}

function hasSpeech(said: readonly InterviewerAction[]): boolean {
  return said.some((action) => action.kind === 'say');
}

function replaceQuestion(action: InterviewerAction, question: string): InterviewerAction {
  if (action.kind !== 'say') return action;
  const lead = /^(.*?(?:war|einmal):) /u.exec(action.sentence)?.[1];
  return lead === undefined ? action : { kind: 'say', sentence: `${lead} ${question}` };
}

/** Markdown and emoji, which models write although the prompt forbids them. */
const UNSPEAKABLE =
  /\*+|`+|^\s*(?:#+|[-•])\s|\p{Extended_Pictographic}\ufe0f|\p{Emoji_Presentation}\p{Emoji_Modifier}?|\u200d/gmu;

async function* streamActions(
  service: Service,
  history: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<InterviewerAction> {
  const tools: ChatEvent[] = [];
  const text = async function* (): AsyncGenerator<string> {
    for await (const event of chat(service, {
      messages: arrange(history),
      tools: LLM_TOOLS,
      limits: INTERVIEW_LIMITS,
      signal,
    })) {
      if (event.kind === 'text') yield event.text;
      // Also `end`: a reply that was cut or broke off is spoken as it is.
      else tools.push(event);
    }
  };
  for await (const written of splitSentences(text())) {
    const sentence = written.replaceAll(UNSPEAKABLE, '').replace(/\s+/g, ' ').trim();
    if (sentence !== '') yield { kind: 'say', sentence };
  }
  for (const tool of tools) yield* toActions(tool);
}

function toActions(event: ChatEvent): readonly InterviewerAction[] {
  if (event.kind !== 'tool') return [];
  if (event.name === END_CALL_TOOL) return [{ kind: 'end', reason: 'finished' }];
  if (event.name !== SET_W_ANSWER_TOOL) return [];
  const answer = SetWAnswerSchema.safeParse(event.parameters);
  return answer.success ? [{ kind: 'w-answer', answer: answer.data }] : [];
}
