import type { Turn } from '#contract/transcript.ts';
import { W_QUESTIONS, type InterviewSubject, type WQuestion } from '#contract/voice.ts';
import { BANKS, type Bank } from './banks.ts';
import type { Part } from './brain.ts';
import { admitsIgnorance, wantsToStop, wordCount, wSignals } from './listening.ts';

/** Where an interview along a question bank stands. */
export type BankState = Readonly<{
  bank: Bank;
  /** What the next answer belongs to. */
  asked: Readonly<
    { kind: 'nothing' } | { kind: 'question' | 'probe'; index: number; soFar: string } | { kind: 'open'; w: WQuestion }
  >;
  next: number;
  covered: readonly WQuestion[];
  openAsked: readonly WQuestion[];
  /** How often in a row the person was asked again. */
  reprompts: number;
  acknowledged: number;
  /** The last thing asked, to repeat it. */
  question: string;
}>;

export type BankStep = Readonly<{ state: BankState; parts: readonly Part[] }>;

const ACKNOWLEDGEMENTS = [
  'Danke dir.',
  'Spannend.',
  'Verstehe.',
  'Schön, das zu hören.',
  'Das ist gut zu wissen.',
  'Okay.',
];
const WELCOME_BACK = 'Willkommen zurück! Wir machen da weiter, wo wir aufgehört haben.';
const STOPPED = 'Alles klar, dann machen wir hier Schluss. Vielen Dank für deine Zeit!';
const GONE =
  'Ich höre dich gerade nicht mehr, deshalb mache ich hier Schluss. Du kannst das Interview jederzeit fortsetzen.';
const FINISHED: Part = { kind: 'end', because: 'finished' };
const REPROMPTS_MAX = 2;
const W_ANSWER_MAX = 4_000;

/** Starts an interview, or goes on after its earlier turns. `firstMessage` replaces greeting and first question. */
export function openBank(
  subject: InterviewSubject,
  earlier: readonly Turn[],
  firstMessage: string | undefined,
): BankStep {
  const start = replay(BANKS[subject], earlier);
  if (firstMessage !== undefined) {
    return { state: { ...start, question: firstMessage }, parts: say(firstMessage) };
  }
  const greeting = earlier.length > 0 ? WELCOME_BACK : start.bank.greeting;
  return goOn(start, [greeting]);
}

export function answerBank(state: BankState, answer: string): BankStep {
  if (wantsToStop(answer)) return { state, parts: [...say(STOPPED), FINISHED] };
  const heard = { ...state, reprompts: 0 };
  const { asked, bank } = heard;
  if (asked.kind === 'nothing') return goOn(cover(heard, wSignals(answer)), []);
  if (asked.kind === 'open') return acknowledge(cover(heard, [asked.w]), []);
  const whole = `${asked.soFar} ${answer}`.trim();
  const parts = fill(bank, asked.index, whole);
  const brief = wordCount(whole) < bank.enoughWords;
  const question = bank.questions[asked.index];
  if (asked.kind === 'question' && brief && !admitsIgnorance(answer) && question !== undefined) {
    const probing = { ...heard, asked: { kind: 'probe', index: asked.index, soFar: whole } as const };
    return { state: { ...probing, question: question.probe }, parts: [...parts, ...say(question.probe)] };
  }
  const settled = brief || admitsIgnorance(whole) ? [] : (question?.covers ?? []);
  return acknowledge(cover(heard, [...settled, ...wSignals(whole)]), parts);
}

export function repromptBank(state: BankState): BankStep {
  if (state.reprompts >= REPROMPTS_MAX) return { state, parts: [...say(GONE), { kind: 'end', because: 'gone' }] };
  // §3 replaces the interviewer's last line by this one: the question must still be in it.
  const lead =
    state.reprompts === 0 ? 'Nimm dir ruhig Zeit. Meine Frage war:' : 'Bist du noch da? Ich frage noch einmal:';
  return { state: { ...state, reprompts: state.reprompts + 1 }, parts: say(`${lead} ${state.question}`) };
}

function acknowledge(state: BankState, parts: readonly Part[]): BankStep {
  const word = ACKNOWLEDGEMENTS[state.acknowledged % ACKNOWLEDGEMENTS.length] ?? '';
  const step = goOn({ ...state, acknowledged: state.acknowledged + 1 }, [word]);
  return { state: step.state, parts: [...parts, ...step.parts] };
}

/** The next question of the bank, then the W-questions still open, then the end. */
function goOn(state: BankState, before: readonly string[]): BankStep {
  const question = state.bank.questions[state.next];
  if (question !== undefined) {
    const asked = { kind: 'question', index: state.next, soFar: '' } as const;
    return {
      state: { ...state, asked, next: state.next + 1, question: question.text },
      parts: say(...before, question.text),
    };
  }
  const w = W_QUESTIONS.find((one) => !state.covered.includes(one) && !state.openAsked.includes(one));
  if (w !== undefined) {
    return {
      state: { ...state, asked: { kind: 'open', w }, openAsked: [...state.openAsked, w], question: state.bank.open[w] },
      parts: say(...before, state.bank.open[w]),
    };
  }
  return { state, parts: [...say(...before, state.bank.closing), FINISHED] };
}

function cover(state: BankState, more: readonly WQuestion[]): BankState {
  return { ...state, covered: [...new Set([...state.covered, ...more])] };
}

function fill(bank: Bank, index: number, answer: string): readonly Part[] {
  if (!bank.fillsWAnswers || answer === '') return [];
  const questions = bank.questions[index]?.covers ?? [];
  return questions.map((question) => ({
    kind: 'w-answer',
    answer: { question, answer: answer.slice(0, W_ANSWER_MAX) },
  }));
}

/** Which questions of the bank were asked and answered before. A question without an answer is asked again. */
function replay(bank: Bank, earlier: readonly Turn[]): BankState {
  const answered = new Map<number, string>();
  let open: number | undefined;
  for (const turn of earlier) {
    if (turn.speaker === 'agent') open = questionIn(bank, turn.text) ?? open;
    else if (open !== undefined) answered.set(open, `${answered.get(open) ?? ''} ${turn.text}`.trim());
  }
  const covered = [...answered].flatMap(([index, answer]) => [
    ...(wordCount(answer) < bank.enoughWords ? [] : (bank.questions[index]?.covers ?? [])),
    ...wSignals(answer),
  ]);
  const next = bank.questions.findIndex((_, index) => !answered.has(index));
  return {
    bank,
    asked: { kind: 'nothing' },
    next: next < 0 ? bank.questions.length : next,
    covered: [...new Set(covered)],
    openAsked: [],
    reprompts: 0,
    acknowledged: answered.size,
    question: bank.greeting,
  };
}

function questionIn(bank: Bank, text: string): number | undefined {
  const index = bank.questions.findIndex((question) => text.includes(question.text));
  return index < 0 ? undefined : index;
}

function say(...sentences: readonly string[]): readonly Part[] {
  return sentences.map((sentence) => ({ kind: 'say', sentence }));
}
