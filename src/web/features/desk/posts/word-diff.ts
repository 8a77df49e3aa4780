/** A part of both texts, only of the earlier one, or only of the later one. */
export type DiffPart = Readonly<{ kind: 'same' | 'removed' | 'added'; text: string }>;

/** Above this the middle counts as rewritten: the table of the comparison would take too much memory. */
const MAX_CELLS = 4_000_000;

/** Compares two texts by words; white space counts. */
export function diffWords(before: string, after: string): readonly DiffPart[] {
  const [old, now] = [splitParts(before), splitParts(after)];
  const head = countSame(old, now, (list, at) => list[at]);
  const [oldRest, nowRest] = [old.slice(head), now.slice(head)];
  const tail = countSame(oldRest, nowRest, (list, at) => list.at(-1 - at));
  const middle = diffMiddle(oldRest.slice(0, oldRest.length - tail), nowRest.slice(0, nowRest.length - tail));
  return joinParts([
    { kind: 'same', text: old.slice(0, head).join('') },
    ...middle,
    { kind: 'same', text: oldRest.slice(oldRest.length - tail).join('') },
  ]);
}

const splitParts = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];

function countSame(
  one: readonly string[],
  other: readonly string[],
  pick: (list: readonly string[], at: number) => string | undefined,
): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && pick(one, count) === pick(other, count)) count += 1;
  return count;
}

/** The longest common subsequence, from a table of lengths read backwards. */
function diffMiddle(old: readonly string[], now: readonly string[]): DiffPart[] {
  const width = now.length + 1;
  if ((old.length + 1) * width > MAX_CELLS)
    return [
      { kind: 'removed', text: old.join('') },
      { kind: 'added', text: now.join('') },
    ];
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const parts: DiffPart[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [removed = '', added = ''] = [old[row], now[column]];
    if (row < old.length && column < now.length && removed === added) {
      parts.push({ kind: 'same', text: removed });
      [row, column] = [row + 1, column + 1];
    } else if (column >= now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      parts.push({ kind: 'removed', text: removed });
      row += 1;
    } else {
      parts.push({ kind: 'added', text: added });
      column += 1;
    }
  }
  return parts;
}

/** Neighbours of one kind become one part. */
function joinParts(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}
