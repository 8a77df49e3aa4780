import { END_CALL_TOOL, SET_W_ANSWER_TOOL, SetWAnswerSchema } from '#contract/voice.ts';
import type { Brief, ConversationStart } from '../engines/engine.ts';
import { chat, INTERVIEW_LIMITS, type ChatEvent, type ChatMessage } from '../../language-model.ts';
import type { Service } from '../../service-request.ts';
import { BANKS } from './banks.ts';
import type { BankInterviewer } from './bank-interviewer.ts';
import type { Interviewer, InterviewerAction } from './interviewer.ts';
import { describeFacts, LLM_TOOLS, writeSystemPrompt, describeNote } from './prompt.ts';
import { splitSentences } from './sentences.ts';

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
  'Das Gespräch war unterbrochen und geht jetzt weiter. Begrüße die Person in einem kurzen Satz wieder und stelle deine letzte Frage noch einmal, wenn sie offen ist, sonst die nächste.';

/** An interviewer with a language model. */
export function createLlmInterviewer(options: LlmInterviewerOptions): Interviewer {
  const { bank, brief } = options;
  const facts = describeFacts(brief, options.start);
  let history: readonly ChatMessage[] = [
    { role: 'system', content: writeSystemPrompt(brief, options.start) },
    ...(facts === undefined ? [] : [{ role: 'user', content: facts } as const]),
    ...brief.earlier.map((turn): ChatMessage => ({
      role: turn.speaker === 'agent' ? 'assistant' : 'user',
      content: turn.text,
    })),
  ];
  const resumes = brief.earlier.length > 0 && options.start.firstMessage === undefined;
  let before = history;
  let answers = 0;
  let notes = 0;
  let bankReplied = false;
  const add = (role: ChatMessage['role'], content: string): void => void (history = [...history, { role, content }]);
  const remember = (actions: readonly InterviewerAction[]): readonly InterviewerAction[] => {
    const text = actions.flatMap((action) => (action.kind === 'say' ? [action.sentence] : [])).join(' ');
    if (text !== '') add('assistant', text);
    return actions;
  };

  /** The model's actions; when aborted it ends early and remembers nothing. */
  async function* askModel(said: InterviewerAction[], signal: AbortSignal): AsyncGenerator<InterviewerAction> {
    try {
      for await (const action of streamActions(options.service, history, signal)) {
        said.push(action);
        yield action;
      }
    } catch (error) {
      if (signal.aborted) return;
      options.onError(error);
    }
    remember(said);
  }

  async function* resume(signal: AbortSignal): AsyncGenerator<InterviewerAction> {
    add('system', RESUME_PROMPT);
    const said: InterviewerAction[] = [];
    yield* askModel(said, signal);
    if (!hasSpeech(said) && !signal.aborted) yield* remember(bank.open());
  }

  async function* reply(answer: string, signal: AbortSignal): AsyncGenerator<InterviewerAction> {
    before = history;
    bankReplied = false;
    answers += 1;
    add('user', answer);
    if (answers === ANSWERS_MAX) add('system', 'Komm jetzt zum Ende: Bedanke dich und rufe end_call auf.');
    const said: InterviewerAction[] = [];
    yield* askModel(said, signal);
    if (hasSpeech(said) || signal.aborted) return;
    if (said.some((action) => action.kind === 'end')) {
      yield { kind: 'say', sentence: BANKS[brief.topic].closing };
      return;
    }
    bankReplied = true;
    for await (const action of bank.reply(answer, signal)) {
      remember([action]);
      yield action;
    }
  }

  return {
    open: (signal) => (resumes ? resume(signal) : remember(bank.open())),
    reply,
    retract: () => {
      history = before;
      answers -= 1;
      if (bankReplied) bank.retract();
    },
    reprompt: () => {
      const last = history.findLast((message) => message.role === 'assistant')?.content;
      const actions = bank.reprompt();
      // The bank does not know the model's questions.
      return last === undefined ? actions : actions.map((action) => replaceQuestion(action, last));
    },
    note: (text) => {
      notes += 1;
      if (notes <= NOTES_MAX) add('user', describeNote(text));
    },
  };
}

function hasSpeech(said: readonly InterviewerAction[]): boolean {
  return said.some((action) => action.kind === 'say');
}

function replaceQuestion(action: InterviewerAction, question: string): InterviewerAction {
  if (action.kind !== 'say') return action;
  const lead = /^(.*?(?:war|einmal):) /u.exec(action.sentence)?.[1];
  return lead === undefined ? action : { kind: 'say', sentence: `${lead} ${question}` };
}

async function* streamActions(
  service: Service,
  history: readonly ChatMessage[],
  signal: AbortSignal,
): AsyncGenerator<InterviewerAction> {
  const tools: ChatEvent[] = [];
  const text = async function* (): AsyncGenerator<string> {
    for await (const event of chat(service, {
      messages: history,
      tools: LLM_TOOLS,
      limits: INTERVIEW_LIMITS,
      signal,
    })) {
      if (event.kind === 'text') yield event.text;
      else tools.push(event);
    }
  };
  for await (const sentence of splitSentences(text())) yield { kind: 'say', sentence };
  for (const tool of tools) yield* toActions(tool);
}

function toActions(event: ChatEvent): readonly InterviewerAction[] {
  if (event.kind !== 'tool') return [];
  if (event.name === END_CALL_TOOL) return [{ kind: 'end', reason: 'finished' }];
  if (event.name !== SET_W_ANSWER_TOOL) return [];
  const answer = SetWAnswerSchema.safeParse(event.parameters);
  return answer.success ? [{ kind: 'w-answer', answer: answer.data }] : [];
}
