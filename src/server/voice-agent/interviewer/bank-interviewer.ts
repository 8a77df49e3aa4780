import type { Turn } from '#contract/transcript.ts';
import { W_QUESTIONS, type InterviewSubject, type WQuestion } from '#contract/voice.ts';
import { BANKS, type Bank } from './banks.ts';
import type { Interviewer, InterviewerAction } from './interviewer.ts';

/** The progress of an interview along a question bank. */
export type BankState = Readonly<{
  bank: Bank;
  /** The question that the next answer belongs to. */
  asked: Readonly<
    { kind: 'nothing' } | { kind: 'question' | 'probe'; index: number; soFar: string } | { kind: 'open'; w: WQuestion }
  >;
  next: number;
  covered: readonly WQuestion[];
  acknowledged: number;
  /** The last question, to repeat it. */
  question: string;
}>;

export type BankStep = Readonly<{ state: BankState; actions: readonly InterviewerAction[] }>;

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
const UNRESPONSIVE =
  'Ich höre dich gerade nicht mehr, deshalb mache ich hier Schluss. Du kannst das Interview jederzeit fortsetzen.';
const FINISHED: InterviewerAction = { kind: 'end', reason: 'finished' };
const REPROMPTS_MAX = 2;
const W_ANSWER_MAX = 4_000;

/** Starts an interview, or resumes it after its earlier turns. `firstMessage` replaces greeting and first question. */
export function openBank(
  subject: InterviewSubject,
  earlier: readonly Turn[],
  firstMessage: string | undefined,
): BankStep {
  const start = replay(BANKS[subject], earlier);
  if (firstMessage !== undefined) {
    return { state: { ...start, question: firstMessage }, actions: say(firstMessage) };
  }
  const greeting = earlier.length > 0 ? WELCOME_BACK : start.bank.greeting;
  return askNext(start, [greeting]);
}

export function answerBank(state: BankState, answer: string): BankStep {
  if (wantsToStop(answer)) return { state, actions: [...say(STOPPED), FINISHED] };
  const { asked, bank } = state;
  if (asked.kind === 'nothing') return askNext(cover(state, findWSignals(answer)), []);
  if (asked.kind === 'open') return acknowledge(cover(state, [asked.w]), []);
  const whole = `${asked.soFar} ${answer}`.trim();
  const actions = createWAnswers(bank, asked.index, whole);
  const brief = countWords(whole) < bank.enoughWords;
  const question = bank.questions[asked.index];
  if (asked.kind === 'question' && brief && !admitsIgnorance(answer) && question !== undefined) {
    const probing = { ...state, asked: { kind: 'probe', index: asked.index, soFar: whole } as const };
    return { state: { ...probing, question: question.probe }, actions: [...actions, ...say(question.probe)] };
  }
  const answered = brief || admitsIgnorance(whole) ? [] : (question?.covers ?? []);
  return acknowledge(cover(state, [...answered, ...findWSignals(whole)]), actions);
}

/** `before`: reprompts since the last answer. */
export function repromptBank({ question }: BankState, before: number): readonly InterviewerAction[] {
  if (before >= REPROMPTS_MAX) return [...say(UNRESPONSIVE), { kind: 'end', reason: 'unresponsive' }];
  // §3 replaces the interviewer's last line by this one, so it repeats the question.
  const lead = before === 0 ? 'Nimm dir ruhig Zeit. Meine Frage war:' : 'Bist du noch da? Ich frage noch einmal:';
  return say(`${lead} ${question}`);
}

function acknowledge(state: BankState, actions: readonly InterviewerAction[]): BankStep {
  const word = ACKNOWLEDGEMENTS[state.acknowledged % ACKNOWLEDGEMENTS.length] ?? '';
  const step = askNext({ ...state, acknowledged: state.acknowledged + 1 }, [word]);
  return { state: step.state, actions: [...actions, ...step.actions] };
}

/** Asks the next question of the bank, then the open W-questions, then ends. */
function askNext(state: BankState, before: readonly string[]): BankStep {
  const question = state.bank.questions[state.next];
  if (question !== undefined) {
    const asked = { kind: 'question', index: state.next, soFar: '' } as const;
    return {
      state: { ...state, asked, next: state.next + 1, question: question.text },
      actions: say(...before, question.text),
    };
  }
  const w = W_QUESTIONS.find((one) => !state.covered.includes(one));
  if (w !== undefined) {
    return {
      state: { ...state, asked: { kind: 'open', w }, question: state.bank.open[w] },
      actions: say(...before, state.bank.open[w]),
    };
  }
  return { state, actions: [...say(...before, state.bank.closing), FINISHED] };
}

function cover(state: BankState, more: readonly WQuestion[]): BankState {
  return { ...state, covered: [...new Set([...state.covered, ...more])] };
}

function createWAnswers(bank: Bank, index: number, answer: string): readonly InterviewerAction[] {
  if (!bank.fillsWAnswers || answer === '') return [];
  const questions = bank.questions[index]?.covers ?? [];
  return questions.map((question) => ({
    kind: 'w-answer',
    answer: { question, answer: answer.slice(0, W_ANSWER_MAX) },
  }));
}

/** By its place in the bank, or an open W-question. */
type Question = number | WQuestion;

/** Restores the progress from earlier turns. The question without an answer is asked again. */
function replay(bank: Bank, earlier: readonly Turn[]): BankState {
  const answers = new Map<Question, string>();
  let asked: Question | undefined;
  for (const { speaker, text } of earlier) {
    if (speaker === 'agent') asked = findQuestion(bank, text, asked) ?? asked;
    else if (asked !== undefined) answers.set(asked, `${answers.get(asked) ?? ''} ${text}`.trim());
  }
  const covered = [...answers].flatMap(([question, answer]) => {
    if (typeof question === 'string') return [question];
    const covers = countWords(answer) < bank.enoughWords ? [] : (bank.questions[question]?.covers ?? []);
    return [...covers, ...findWSignals(answer)];
  });
  return {
    bank,
    asked: { kind: 'nothing' },
    // They are asked in order; the first turns of a long interview may be missing here.
    next: Math.max(-1, ...[...answers.keys()].filter((question) => typeof question === 'number')) + 1,
    covered: [...new Set(covered)],
    acknowledged: answers.size,
    question: bank.greeting,
  };
}

/** An answer may have cut off the question after the one `before`. */
function findQuestion(bank: Bank, turn: string, before: Question = -1): Question | undefined {
  const next = typeof before === 'number' ? before + 1 : undefined;
  const index = bank.questions.findIndex(({ text }, at) => turn.includes(text) || (at === next && isCut(turn, text)));
  return index < 0 ? W_QUESTIONS.find((question) => turn.includes(bank.open[question])) : index;
}

/** Whether the turn was cut off within the sentence. */
function isCut(turn: string, sentence: string): boolean {
  const words = turn.replace(/ …$/, '').split(' ');
  return turn.endsWith(' …') && words.some((_, at) => sentence.startsWith(words.slice(at).join(' ')));
}

function say(...sentences: readonly string[]): readonly InterviewerAction[] {
  return sentences.map((sentence) => ({ kind: 'say', sentence }));
}

export type BankInterviewer = Interviewer & Readonly<{ open: () => readonly InterviewerAction[] }>;

/** The interviewer without a language model: asks the topic's questions, probes, and the open W-questions. */
export function createBankInterviewer(
  subject: InterviewSubject,
  earlier: readonly Turn[],
  firstMessage: string | undefined,
): BankInterviewer {
  const opening = openBank(subject, earlier, firstMessage);
  let state: BankState = opening.state;
  let before: BankState = opening.state;
  return {
    open: () => opening.actions,
    reply: async function* (answer): AsyncGenerator<InterviewerAction> {
      before = state;
      const step = answerBank(state, answer);
      state = step.state;
      yield* step.actions;
    },
    retract: () => void (state = before),
    reprompt: (times) => repromptBank(state, times),
    repeat: () => say(state.question),
    note: () => undefined,
  };
}

function countWords(answer: string): number {
  return answer.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

const STOP_WORDS_MAX = 10;

const STOP =
  /\b(?:(?:interview|gespräch|aufnahme)\s+(?:jetzt\s+|hier\s+|bitte\s+)*(?:beenden|abbrechen|stoppen)|beende\s+(?:bitte\s+)?das\s+(?:interview|gespräch)|(?:möchte|will|würde)\s+(?:jetzt\s+|gern\s+|gerne\s+|hier\s+)*(?:aufhören|schluss machen))/iu;

/** Whether the person asks to end the interview. A long answer with such words tells a story. */
function wantsToStop(answer: string): boolean {
  return countWords(answer) <= STOP_WORDS_MAX && STOP.test(answer);
}

const IGNORANCE =
  /wei(?:ß|ss)\s+(?:(?:ich|es)\s*)?(?:leider\s+)?nicht?|keine ahnung|kann ich nicht sagen|möchte ich nicht sagen/iu;

/** Whether the person cannot answer, so that a probe is pointless. */
function admitsIgnorance(answer: string): boolean {
  return countWords(answer) < 12 && IGNORANCE.test(answer);
}

const SIGNALS: readonly (readonly [WQuestion, RegExp])[] = [
  [
    'when',
    /\b(?:1[89]|20)\d\d\b|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|gestern|vorgestern|heute früh|letzte[ns]?\s+(?:woche|monat|jahr)|vor\s+\p{L}+\s+(?:jahren|monaten|wochen|tagen)|seit\s+(?:\d+|dem|der|zwei|drei|vier|fünf|zehn))/iu,
  ],
  ['why', /\b(?:weil|deshalb|deswegen|damit wir|aus dem grund|der grund)\b/iu],
];

/** The W-questions that an answer certainly covers, whatever the question was. */
function findWSignals(answer: string): readonly WQuestion[] {
  return SIGNALS.filter(([, pattern]) => pattern.test(answer)).map(([question]) => question);
}
