import type { DeskTurn } from '#contract/desk.ts';

/** One conversation of a contribution; resuming or repeating an interview starts another one. */
export type Conversation = Readonly<{
  id: string;
  startedAt: string;
  /** Each turn with the seconds since the first one. */
  turns: readonly Readonly<{ turn: DeskTurn; seconds: number }>[];
}>;

const byPosition = (a: DeskTurn, b: DeskTurn): number => a.position - b.position;

/** Sorts conversations by their start and the turns of each by position. */
export function groupConversations(turns: readonly DeskTurn[]): readonly Conversation[] {
  const ids = [...new Set(turns.map(({ conversation }) => conversation))];
  return ids
    .map((id) => toConversation(id, turns.filter(({ conversation }) => conversation === id).toSorted(byPosition)))
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

function toConversation(id: string, turns: readonly DeskTurn[]): Conversation {
  const startedAt = turns[0]?.at ?? '';
  const start = Date.parse(startedAt);
  return {
    id,
    startedAt,
    turns: turns.map((turn) => ({ turn, seconds: Math.max(0, Math.round((Date.parse(turn.at) - start) / 1_000)) })),
  };
}

/** A recording and its length. Its file name begins with the upload time in ms (§3). */
export type Recording = Readonly<{ path: string; seconds: number }>;

/** A position in a recording. */
export type Place = Readonly<{ path: string; seconds: number }>;

/**
 * Locates each turn in the recording that covers it; turns without one are left out. An agent's turn is logged at its
 * start, a person's at its end, so a person's turn starts at the time of the turn before.
 */
export function locateTurns(turns: readonly DeskTurn[], recordings: readonly Recording[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const ordered = turns.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  for (const [index, turn] of ordered.entries()) {
    const before = ordered[index - 1];
    const began = turn.speaker === 'user' && before?.conversation === turn.conversation ? before.at : turn.at;
    for (const recording of recordings) {
      const seconds = computeOffset(recording, Date.parse(began));
      if (seconds === undefined || computeOffset(recording, Date.parse(turn.at)) === undefined) continue;
      places.set(getPlaceKey(turn), { path: recording.path, seconds });
      break;
    }
  }
  return places;
}

export function getPlaceKey({ conversation, position }: Pick<DeskTurn, 'conversation' | 'position'>): string {
  return `${position}:${conversation}`;
}

function computeOffset({ path, seconds }: Recording, time: number): number | undefined {
  const end = parseUploadTime(path);
  if (end === undefined || !Number.isFinite(seconds)) return undefined;
  const into = (time - end) / 1_000 + seconds;
  return into >= 0 && into <= seconds ? into : undefined;
}

/** Reads `7/1763719200000_x1.webm` as 1763719200000. */
function parseUploadTime(path: string): number | undefined {
  const stamp = /\/(\d{13})_/.exec(path)?.[1];
  return stamp === undefined ? undefined : Number(stamp);
}
