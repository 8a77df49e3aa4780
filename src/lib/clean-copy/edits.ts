import { UncleanableError } from './file-reader.ts';

/** Replaces the bytes from `start` to before `end`: with `put`, or with as many zeros. */
export type Edit = Readonly<{ start: number; end: number; put: Uint8Array | 'zeros' }>;

/** More places than any camera writes; they are held in memory. */
const MAX_EDITS = 100_000;

export type EditList = Readonly<{
  replace: (start: number, end: number, put: Uint8Array) => void;
  remove: (start: number, end: number) => void;
  blank: (start: number, end: number) => void;
  /** In order and without overlaps. Throws UncleanableError where two replacements overlap. */
  finish: () => readonly Edit[];
}>;

const NOTHING = new Uint8Array(0);

export function createEditList(): EditList {
  const edits: Edit[] = [];
  const add = (edit: Edit): void => {
    if (edit.end <= edit.start) return;
    const last = edits.at(-1);
    if (last !== undefined && last.end === edit.start && isSameFill(last, edit))
      edits[edits.length - 1] = { ...last, end: edit.end };
    else if (edits.push(edit) > MAX_EDITS) throw new UncleanableError('too many places to change');
  };
  return {
    replace: (start, end, put) => add({ start, end, put }),
    remove: (start, end) => add({ start, end, put: NOTHING }),
    blank: (start, end) => add({ start, end, put: 'zeros' }),
    finish: () => mergeOverlaps(edits.toSorted((a, b) => a.start - b.start || a.end - b.end)),
  };
}

function isSameFill(a: Edit, b: Edit): boolean {
  return a.put === b.put && (a.put === 'zeros' || a.put === NOTHING);
}

function mergeOverlaps(sorted: readonly Edit[]): readonly Edit[] {
  const merged: Edit[] = [];
  for (const edit of sorted) {
    const last = merged.at(-1);
    if (last === undefined || edit.start >= last.end) merged.push(edit);
    else if (isSameFill(last, edit)) merged[merged.length - 1] = { ...last, end: Math.max(last.end, edit.end) };
    else throw new UncleanableError('parts overlap');
  }
  return merged;
}

/** How many bytes a file of `size` bytes has after the edits. */
export function measureEdited(size: number, edits: readonly Edit[]): number {
  return edits.reduce((sum, { start, end, put }) => sum + (put === 'zeros' ? 0 : put.length - (end - start)), size);
}

/** Passes the bytes of a file on, with the edits made; holds one piece in memory. */
export async function* applyEdits(content: AsyncIterable<Buffer>, edits: readonly Edit[]): AsyncGenerator<Buffer> {
  let at = 0;
  let next = 0;
  for await (const piece of content) {
    const end = at + piece.length;
    let done = at;
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[next]) {
      if (edit.start > done) yield piece.subarray(done - at, edit.start - at);
      const from = Math.max(edit.start, done);
      const until = Math.min(edit.end, end);
      if (edit.put === 'zeros') yield Buffer.alloc(until - from);
      else if (edit.start >= at && edit.put.length > 0) yield Buffer.from(edit.put);
      done = until;
      if (edit.end > end) break;
      next += 1;
    }
    if (done < end) yield piece.subarray(done - at);
    at = end;
  }
}
