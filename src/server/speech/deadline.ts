/** Aborts `ms` after its start or its last extension. */
export function startDeadline(ms: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  let cleared = false;
  return {
    signal: controller.signal,
    /** Starts the time again, unless it was cleared. */
    // A refresh would revive a cleared timer.
    extend: (): void => void (cleared || timer.refresh()),
    clear: (): void => {
      cleared = true;
      clearTimeout(timer);
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;

/** Passes pieces on, and calls `onPiece` with each of them before. */
export async function* watchPieces(
  source: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    onPiece(piece);
    yield piece;
  }
}
