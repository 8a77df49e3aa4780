import { appendTurn, parseTurns } from '#contract/transcript.ts';
import type { SaidTurn } from '../voice/call.ts';

/** Typed answers that are not in the transcript yet. */
export type Answers = Readonly<{
  /** What stands in the field. */
  text: string;
  /** Sent, without an echo of the server so far; the oldest first. */
  unconfirmed: readonly string[];
  /** Back in the field since the line broke: the beginning of `text`, unless it was changed there. */
  returned: readonly string[];
}>;

export type AnswersEvent =
  | Readonly<{ type: 'typed'; text: string }>
  /** `text` goes to the server; the field is empty then. */
  | Readonly<{ type: 'sent'; text: string }>
  /** The server shows what was said, in order. */
  | Readonly<{ type: 'said'; turn: SaidTurn }>
  | Readonly<{ type: 'broken' }>
  /** `shown`: this page's transcript; `known`: the server's, which may have answers whose echo was lost. */
  | Readonly<{ type: 'resumed'; shown: string; known: string }>
  /** All of it is in the transcript. */
  | Readonly<{ type: 'taken' }>;

export const NO_ANSWERS: Answers = { text: '', unconfirmed: [], returned: [] };

export function reduceAnswers(answers: Answers, event: AnswersEvent): Answers {
  switch (event.type) {
    case 'typed':
      return { ...answers, text: event.text };
    case 'sent':
      return { text: '', unconfirmed: [...answers.unconfirmed, event.text], returned: [] };
    case 'said':
      return event.turn.speaker === 'user' ? confirm(answers, event.turn.text) : answers;
    case 'broken':
      return {
        text: [...answers.unconfirmed, answers.text].filter((text) => text !== '').join('\n'),
        unconfirmed: [],
        returned: answers.unconfirmed.length > 0 ? answers.unconfirmed : answers.returned,
      };
    case 'resumed':
      return dropKnown(answers, listNewAnswers(event));
    default:
      return NO_ANSWERS;
  }
}

export function hasAnswers({ text, unconfirmed }: Answers): boolean {
  return [...unconfirmed, text].some((answer) => answer.trim() !== '');
}

/** The person's last turn, with what was typed and is not in the transcript. */
export function getLastTurn(transcript: string, { text, unconfirmed }: Answers): SaidTurn {
  const last = parseTurns(transcript).at(-1);
  const before = last?.speaker === 'user' ? [last.text] : [];
  return { speaker: 'user', text: [...before, ...unconfirmed, text].join(' '), eventId: undefined };
}

export function addAnswers(transcript: string, answers: Answers): string {
  return hasAnswers(answers) ? appendTurn(transcript, getLastTurn(transcript, answers)) : transcript;
}

/** Answers are confirmed in the order in which they were sent, so an echo confirms those before it as well. */
function confirm(answers: Answers, echo: string): Answers {
  const at = answers.unconfirmed.findIndex((sent) => isIn(echo, sent));
  return at < 0 ? answers : { ...answers, unconfirmed: answers.unconfirmed.slice(at + 1) };
}

/** In a transcript a turn replaces the one before it of the same speaker: the last one found stands for all before. */
function dropKnown(answers: Answers, known: readonly string[]): Answers {
  const { text, returned } = answers;
  const at = returned.findLastIndex((sent) => known.some((turn) => isIn(turn, sent)));
  const arrived = returned.slice(0, at + 1).join('\n');
  if (at < 0 || !text.startsWith(arrived)) return { ...answers, returned: [] };
  return { text: text.slice(arrived.length).trimStart(), unconfirmed: [], returned: [] };
}

function listNewAnswers({ shown, known }: Readonly<{ shown: string; known: string }>): string[] {
  const before = parseTurns(shown);
  return parseTurns(known)
    .filter((turn, at) => turn.speaker === 'user' && turn.text !== before[at]?.text)
    .map((turn) => turn.text);
}

/** A long answer that was cut has this many characters left at least. */
const CUT_MIN = 1_000;

/**
 * An echo may begin with words of the same turn that were sent before. The server trims, removes what a database cannot
 * hold, and may cut; a transcript has no line breaks.
 */
function isIn(echo: string, sent: string): boolean {
  const [ours, theirs] = [normalize(sent), normalize(echo)];
  return ` ${theirs} `.includes(` ${ours} `) || (theirs.length >= CUT_MIN && ours.startsWith(theirs));
}

function normalize(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().replace(/\s+/g, ' ').trim();
}
