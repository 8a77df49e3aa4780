import type { DeskTurn } from '#contract/desk.ts';

/** One conversation of a contribution: an interview may take several ('Interview fortsetzen', 'Interview wiederholen'). */
export type Conversation = Readonly<{
  id: string;
  startedAt: string;
  /** With the seconds since the first one. */
  turns: readonly Readonly<{ turn: DeskTurn; seconds: number }>[];
}>;

/** In the order in which they began; the turns of each by their position. */
export function conversationsOf(turns: readonly DeskTurn[]): readonly Conversation[] {
  const byId = Map.groupBy(turns, ({ conversation }) => conversation);
  return [...byId]
    .map(([id, spoken]) =>
      conversationOf(
        id,
        spoken.toSorted((a, b) => a.position - b.position),
      ),
    )
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

function conversationOf(id: string, turns: readonly DeskTurn[]): Conversation {
  const startedAt = turns[0]?.at ?? '';
  const start = Date.parse(startedAt);
  return {
    id,
    startedAt,
    turns: turns.map((turn) => ({ turn, seconds: Math.max(0, Math.round((Date.parse(turn.at) - start) / 1_000)) })),
  };
}
