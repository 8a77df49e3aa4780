import { appendTurn, correctTurn, oneLine } from '#contract/transcript.ts';
import { findLateWords } from '#web/submission/late-words.ts';
import type { SaidTurn } from '../voice/call.ts';

/** The transcript as it is shown and saved (§3 'Transcript text'). */
export type Dialogue = Readonly<{
  transcript: string;
  /** The words being spoken right now. */
  tentative: string;
  /** The interviewer's turns of the running conversation, for feedback. */
  asked: readonly Asked[];
  /** The earlier conversation, kept until the first answer in the new one; its `row`: what the database had then. */
  replaced: Readonly<{ transcript: string; row: string | undefined }> | undefined;
  /** The new one, where it ended without an answer: one may still be understood. */
  unanswered: Readonly<{ transcript: string; row: string }> | undefined;
  /** The correction being written, not saved yet; undefined while nothing is corrected. */
  draft: string | undefined;
}>;

export type Asked = Readonly<{ eventId: number; text: string; liked: boolean | undefined }>;

export type DialogueEvent =
  /**
   * 'Interview fortsetzen' (`resume`) keeps the transcript; other interviews start empty. `known` is the row's
   * transcript, which may have words that this page never received.
   */
  | Readonly<{ type: 'connected'; resume: boolean; known?: string | undefined }>
  | Readonly<{ type: 'said'; turn: SaidTurn }>
  | Readonly<{ type: 'corrected'; original: string; corrected: string }>
  | Readonly<{ type: 'tentative'; text: string }>
  | Readonly<{ type: 'rated'; eventId: number; liked: boolean }>
  | Readonly<{ type: 'finished' }>
  /** `known`: the row's transcript, with words that were understood only after the end. */
  | Readonly<{ type: 'completed'; known: string }>
  | Readonly<{ type: 'edited'; transcript: string }>
  | Readonly<{ type: 'drafted'; text: string | undefined }>
  /** Another interview starts or goes on from the corrected text. */
  | Readonly<{ type: 'draft-taken' }>;

export function createDialogue(transcript = ''): Dialogue {
  return { transcript, tentative: '', asked: [], replaced: undefined, unanswered: undefined, draft: undefined };
}

export function reduceDialogue(dialogue: Dialogue, event: DialogueEvent): Dialogue {
  switch (event.type) {
    case 'connected':
      if (event.resume)
        return {
          ...dialogue,
          transcript: chooseTranscript(dialogue.transcript, event.known),
          tentative: '',
          asked: [],
        };
      return {
        ...createDialogue(),
        replaced: dialogue.transcript === '' ? undefined : { transcript: dialogue.transcript, row: event.known },
      };
    case 'said':
      return addTurn(dialogue, event.turn);
    case 'corrected':
      return applyCorrection(dialogue, event.original, event.corrected);
    case 'tentative':
      return dialogue.tentative === event.text ? dialogue : { ...dialogue, tentative: event.text };
    case 'rated':
      return {
        ...dialogue,
        asked: dialogue.asked.map((turn) => (turn.eventId === event.eventId ? { ...turn, liked: event.liked } : turn)),
      };
    case 'finished':
      return finish(dialogue);
    case 'completed':
      return complete(dialogue, event.known);
    case 'drafted':
      return { ...dialogue, draft: event.text };
    case 'draft-taken':
      return { ...dialogue, transcript: getCorrected(dialogue), draft: undefined };
    default:
      return { ...dialogue, transcript: event.transcript, unanswered: undefined };
  }
}

/** The text with its correction; an emptied field corrects nothing. */
export function getCorrected({ transcript, draft }: Pick<Dialogue, 'transcript' | 'draft'>): string {
  return draft?.trim() || transcript;
}

/** Prefers the server's transcript unless the person has edited this one. An answer may have cut the last question. */
function chooseTranscript(transcript: string, known = ''): string {
  const answered = transcript.replace(/(?:^|\n\n)Interviewer: (?:(?!\n\n)[^])*$/, '');
  return known !== '' && known.startsWith(answered) ? known : transcript;
}

/** A correction that is being written gets the late words as well; an emptied one stays empty. */
function complete(dialogue: Dialogue, known: string): Dialogue {
  const { transcript, draft, unanswered } = dialogue;
  if (unanswered !== undefined && draft === undefined && isAnsweredNow(unanswered, known) && known !== transcript)
    return createDialogue(known);
  const late = findLateWords(transcript, known);
  return late === '' ? dialogue : { ...dialogue, transcript: known, draft: draft?.trim() && draft + late };
}

/** Without an answer the earlier transcript comes back. */
function finish({ transcript, replaced }: Dialogue): Dialogue {
  if (replaced === undefined) return createDialogue(transcript);
  const { row } = replaced;
  return { ...createDialogue(replaced.transcript), unanswered: row === undefined ? undefined : { transcript, row } };
}

/** The earlier transcript in the row may begin with the same question. */
function isAnsweredNow({ transcript, row }: NonNullable<Dialogue['unanswered']>, known: string): boolean {
  return known !== row && findLateWords(transcript, known) !== '';
}

function addTurn(dialogue: Dialogue, { speaker, text, eventId }: SaidTurn): Dialogue {
  const transcript = appendTurn(dialogue.transcript, { speaker, text });
  if (speaker === 'user') return { ...dialogue, transcript, tentative: '', replaced: undefined };
  const asked = eventId === undefined ? [] : [{ eventId, text: oneLine(text), liked: undefined }];
  return { ...dialogue, transcript, asked: [...dialogue.asked, ...asked] };
}

function applyCorrection(dialogue: Dialogue, original: string, now: string): Dialogue {
  const at = dialogue.asked.findLastIndex((turn) => turn.text === oneLine(original));
  const turn = dialogue.asked[at];
  return {
    ...dialogue,
    transcript: correctTurn(dialogue.transcript, original, now),
    asked: turn === undefined ? dialogue.asked : dialogue.asked.with(at, { ...turn, text: oneLine(now) }),
  };
}
