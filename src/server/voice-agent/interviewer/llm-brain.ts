import { END_CALL_TOOL, SET_W_ANSWER_TOOL, SetWAnswerSchema } from '#contract/voice.ts';
import type { Brief, ConversationStart } from '../engines/engine.ts';
import type { Service } from '../settings.ts';
import { BANKS } from './banks.ts';
import type { BankBrain } from './bank-brain.ts';
import type { Brain, Part } from './brain.ts';
import { chat, type ChatEvent, type ChatMessage } from './chat.ts';
import { knownFacts, LLM_TOOLS, systemPrompt, unspokenNote } from './prompt.ts';
import { sentencesOf } from './sentences.ts';

export type LlmBrainOptions = Readonly<{
  service: Service;
  brief: Brief;
  start: ConversationStart;
  /** Opens the interview, asks again, and steps in where the model fails. */
  bank: BankBrain;
  onTrouble: (error: unknown) => void;
}>;

/** After this many answers the model is told to come to an end. */
const ANSWERS_MAX = 14;
/** More of them in one interview are left out: the model reads all of them each time. */
const NOTES_MAX = 20;
const GO_ON =
  'Das Gespräch war unterbrochen und geht jetzt weiter. Begrüße die Person in einem kurzen Satz wieder und stelle deine letzte Frage noch einmal, wenn sie offen ist, sonst die nächste.';

/** The interviewer with a language model. */
export function createLlmBrain(options: LlmBrainOptions): Brain {
  const { bank, brief } = options;
  const facts = knownFacts(brief, options.start);
  let history: readonly ChatMessage[] = [
    { role: 'system', content: systemPrompt(brief, options.start) },
    ...(facts === undefined ? [] : [{ role: 'user', content: facts } as const]),
    ...brief.earlier.map((turn): ChatMessage => ({
      role: turn.speaker === 'agent' ? 'assistant' : 'user',
      content: turn.text,
    })),
  ];
  const goesOn = brief.earlier.length > 0 && options.start.firstMessage === undefined;
  let before = history;
  let answers = 0;
  let notes = 0;
  let bankReplied = false;
  const add = (role: ChatMessage['role'], content: string): void => void (history = [...history, { role, content }]);
  const remember = (parts: readonly Part[]): readonly Part[] => {
    const text = parts.flatMap((part) => (part.kind === 'say' ? [part.sentence] : [])).join(' ');
    if (text !== '') add('assistant', text);
    return parts;
  };

  /** What the model says; ends early, and remembers nothing, where it was cut off. */
  async function* think(said: Part[], signal: AbortSignal): AsyncGenerator<Part> {
    try {
      for await (const part of ask(options.service, history, signal)) {
        said.push(part);
        yield part;
      }
    } catch (error) {
      if (signal.aborted) return;
      options.onTrouble(error);
    }
    remember(said);
  }

  async function* goOn(signal: AbortSignal): AsyncGenerator<Part> {
    add('system', GO_ON);
    const said: Part[] = [];
    yield* think(said, signal);
    if (!spoke(said) && !signal.aborted) yield* remember(bank.open());
  }

  async function* reply(answer: string, signal: AbortSignal): AsyncGenerator<Part> {
    before = history;
    bankReplied = false;
    answers += 1;
    add('user', answer);
    if (answers === ANSWERS_MAX) add('system', 'Komm jetzt zum Ende: Bedanke dich und rufe end_call auf.');
    const said: Part[] = [];
    yield* think(said, signal);
    if (spoke(said) || signal.aborted) return;
    if (said.some((part) => part.kind === 'end')) {
      yield { kind: 'say', sentence: BANKS[brief.topic].closing };
      return;
    }
    bankReplied = true;
    for await (const part of bank.reply(answer, signal)) {
      remember([part]);
      yield part;
    }
  }

  return {
    open: (signal) => (goesOn ? goOn(signal) : remember(bank.open())),
    reply,
    retract: () => {
      history = before;
      answers -= 1;
      if (bankReplied) bank.retract();
    },
    reprompt: () => {
      const last = history.findLast((message) => message.role === 'assistant')?.content;
      const parts = bank.reprompt();
      // The bank knows only its own questions, not the model's.
      return last === undefined ? parts : parts.map((part) => repeat(part, last));
    },
    note: (text) => {
      notes += 1;
      if (notes <= NOTES_MAX) add('user', unspokenNote(text));
    },
  };
}

function spoke(said: readonly Part[]): boolean {
  return said.some((part) => part.kind === 'say');
}

function repeat(part: Part, question: string): Part {
  if (part.kind !== 'say') return part;
  const lead = /^(.*?(?:war|einmal):) /u.exec(part.sentence)?.[1];
  return lead === undefined ? part : { kind: 'say', sentence: `${lead} ${question}` };
}

async function* ask(service: Service, history: readonly ChatMessage[], signal: AbortSignal): AsyncGenerator<Part> {
  const tools: ChatEvent[] = [];
  const text = async function* (): AsyncGenerator<string> {
    for await (const event of chat(service, history, LLM_TOOLS, signal)) {
      if (event.kind === 'text') yield event.text;
      else tools.push(event);
    }
  };
  for await (const sentence of sentencesOf(text())) yield { kind: 'say', sentence };
  for (const tool of tools) yield* partOf(tool);
}

function partOf(event: ChatEvent): readonly Part[] {
  if (event.kind !== 'tool') return [];
  if (event.name === END_CALL_TOOL) return [{ kind: 'end', because: 'finished' }];
  if (event.name !== SET_W_ANSWER_TOOL) return [];
  const answer = SetWAnswerSchema.safeParse(event.parameters);
  return answer.success ? [{ kind: 'w-answer', answer: answer.data }] : [];
}
