import { appendTurn, correctTurn } from '#contract/transcript.ts';
import type { SaidTurn } from '../voice/call.ts';

/** What has been said, as it is shown and saved (§3 'Transcript text'). */
export type Dialogue = Readonly<{
  transcript: string;
  /** What the person is saying right now. */
  tentative: string;
  /** The interviewer's turns of the running conversation, for feedback. */
  asked: readonly Asked[];
  /** Of an earlier conversation: it stays until the person has said something in the new one. */
  replaced: string | undefined;
}>;

export type Asked = Readonly<{ eventId: number; text: string; liked: boolean | undefined }>;

export type DialogueEvent =
  /**
   * 'Interview fortsetzen' (`goesOn`) keeps what there is; a new or repeated interview begins from nothing. `known`:
   * the server's transcript, which may have words that this page never got.
   */
  | Readonly<{ type: 'connected'; goesOn: boolean; known?: string | undefined }>
  | Readonly<{ type: 'said'; turn: SaidTurn }>
  | Readonly<{ type: 'corrected'; original: string; corrected: string }>
  | Readonly<{ type: 'tentative'; text: string }>
  | Readonly<{ type: 'rated'; eventId: number; liked: boolean }>
  | Readonly<{ type: 'over' }>
  | Readonly<{ type: 'edited'; transcript: string }>;

export function emptyDialogue(transcript = ''): Dialogue {
  return { transcript, tentative: '', asked: [], replaced: undefined };
}

export function reduceDialogue(dialogue: Dialogue, event: DialogueEvent): Dialogue {
  switch (event.type) {
    case 'connected':
      if (event.goesOn)
        return { ...dialogue, transcript: fuller(dialogue.transcript, event.known), tentative: '', asked: [] };
      return { ...emptyDialogue(), replaced: dialogue.transcript === '' ? undefined : dialogue.transcript };
    case 'said':
      return said(dialogue, event.turn);
    case 'corrected':
      return corrected(dialogue, event.original, event.corrected);
    case 'tentative':
      return dialogue.tentative === event.text ? dialogue : { ...dialogue, tentative: event.text };
    case 'rated':
      return {
        ...dialogue,
        asked: dialogue.asked.map((turn) => (turn.eventId === event.eventId ? { ...turn, liked: event.liked } : turn)),
      };
    case 'over':
      return emptyDialogue(dialogue.replaced ?? dialogue.transcript);
    default:
      return { ...dialogue, transcript: event.transcript };
  }
}

/** What the person has edited meanwhile stays as it is. */
function fuller(transcript: string, known = ''): string {
  return known.startsWith(transcript) ? known : transcript;
}

function said(dialogue: Dialogue, { speaker, text, eventId }: SaidTurn): Dialogue {
  const transcript = appendTurn(dialogue.transcript, { speaker, text });
  if (speaker === 'user') return { ...dialogue, transcript, tentative: '', replaced: undefined };
  const asked = eventId === undefined ? [] : [{ eventId, text: oneLine(text), liked: undefined }];
  return { ...dialogue, transcript, asked: [...dialogue.asked, ...asked] };
}

function corrected(dialogue: Dialogue, original: string, now: string): Dialogue {
  const at = dialogue.asked.findLastIndex((turn) => turn.text === oneLine(original));
  const turn = dialogue.asked[at];
  return {
    ...dialogue,
    transcript: correctTurn(dialogue.transcript, original, now),
    asked: turn === undefined ? dialogue.asked : dialogue.asked.with(at, { ...turn, text: oneLine(now) }),
  };
}

/** As the transcript has it. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
