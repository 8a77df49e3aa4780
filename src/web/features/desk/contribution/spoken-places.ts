import type { DeskTurn } from '#contract/desk.ts';

/** A recording and when it was made: §3's file names begin with the time (ms) at which it was handed over. */
export type Recording = Readonly<{ path: string; seconds: number }>;

/** Where in which recording something was said. */
export type Place = Readonly<{ path: string; seconds: number }>;

/**
 * The place of each turn, by conversation and position, in the recording that runs over it; a turn that no recording covers
 * has none. An agent's turn is logged as it begins, a person's when it was understood: it began after the one before.
 */
export function placesOf(turns: readonly DeskTurn[], recordings: readonly Recording[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const ordered = turns.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  for (const [index, turn] of ordered.entries()) {
    const before = ordered[index - 1];
    const began = turn.speaker === 'user' && before?.conversation === turn.conversation ? before.at : turn.at;
    for (const recording of recordings) {
      const seconds = secondsInto(recording, Date.parse(began));
      if (seconds === undefined || secondsInto(recording, Date.parse(turn.at)) === undefined) continue;
      places.set(placeKey(turn), { path: recording.path, seconds });
      break;
    }
  }
  return places;
}

export function placeKey({ conversation, position }: Pick<DeskTurn, 'conversation' | 'position'>): string {
  return `${position}:${conversation}`;
}

function secondsInto({ path, seconds }: Recording, time: number): number | undefined {
  const end = handedOverAt(path);
  if (end === undefined || !Number.isFinite(seconds)) return undefined;
  const into = (time - end) / 1_000 + seconds;
  return into >= 0 && into <= seconds ? into : undefined;
}

/** `7/1763719200000_x1.webm` → 1763719200000. */
function handedOverAt(path: string): number | undefined {
  const stamp = /\/(\d{13})_/.exec(path)?.[1];
  return stamp === undefined ? undefined : Number(stamp);
}
