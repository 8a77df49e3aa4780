import { setImmediate as giveTurn } from 'node:timers/promises';

/** Replaces the bytes from `start` to before `end`: with `put`, or with as many zeros. */
export type Edit = Readonly<{ start: number; end: number; put: Uint8Array | 'zeros' }>;

/** More places than any camera writes; they are held in memory. */
const MAX_EDITS = 100_000;

const NOTHING = new Uint8Array(0);

export function createEditList() {
  const edits: Edit[] = [];
  const add = (edit: Edit): void => {
    if (edit.end <= edit.start) return;
    const last = edits.at(-1);
    if (last !== undefined && last.end === edit.start && isSameFill(last, edit))
      edits[edits.length - 1] = { ...last, end: edit.end };
    else if (edits.push(edit) > MAX_EDITS) throw new UncleanableError('too many places to change');
  };
  return {
    replace: (start: number, end: number, put: Uint8Array): void => add({ start, end, put }),
    remove: (start: number, end: number): void => add({ start, end, put: NOTHING }),
    blank: (start: number, end: number): void => add({ start, end, put: 'zeros' }),
    /** In order and without overlaps. Throws UncleanableError where two replacements overlap. */
    finish: (): readonly Edit[] => mergeOverlaps(edits.toSorted((a, b) => a.start - b.start || a.end - b.end)),
  };
}

export type EditList = ReturnType<typeof createEditList>;

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

/** Thrown where a file cannot be cleaned with certainty. */
export class UncleanableError extends Error {
  override readonly name = 'UncleanableError';
}

/** Bytes of a file that is not in memory. */
export type FileReader = Readonly<{
  size: number;
  /** Exactly `length` bytes. Throws UncleanableError past the end of the file. */
  read: (at: number, length: number) => Promise<Buffer>;
  /** The bytes from `at` up to the end of the block that is in memory: for a search through the whole file. */
  readBlock: (at: number) => Promise<Buffer>;
  /**
   * Counts work on bytes that the parser already holds: one step for each element it passes. Between some of the calls
   * others get their turn. Throws UncleanableError past the most steps that one file may take.
   */
  spend: (steps: number) => Promise<void>;
}>;

export type Planning = Readonly<{ file: FileReader; edits: EditList }>;

const BLOCK_BYTES = 512 * 1024;
const BLOCKS_KEPT = 4;
/** No table that is read whole is larger in files of cameras. */
const LONGEST_READ = 4 * 1024 * 1024;
/** A read takes about as long as passing so many elements in bytes that are in memory. */
const READ_STEPS = 8;
/**
 * Less than a millisecond of work. The reads of a cached block are microtasks, which would keep all others waiting; who
 * asks the database waits for several turns.
 */
const STEPS_A_TURN = 2_048;
/**
 * A file of very many tiny parts is refused instead of keeping the server busy for longer than a second. The most that
 * real files need is a fifth: 800,000 for a film of two hours with 60 pictures and 50 pieces of sound a second whose
 * clusters have no length, as browsers record it, so that it is passed block by block. Clusters with a length are
 * skipped whole, 7,200 of a second each. An MP4 in fragments of a second has 13 boxes in each, 750,000 steps. A JPEG of
 * 50 MiB takes 400,000, a GIF of 50 MiB 200,000.
 */
const MAX_STEPS = 4_000_000;

function createBudget(): FileReader['spend'] {
  let spent = 0;
  let turnEnds = STEPS_A_TURN;
  return async (steps) => {
    spent += steps;
    if (spent > MAX_STEPS) throw new UncleanableError('too many parts');
    if (spent < turnEnds) return;
    turnEnds = spent + STEPS_A_TURN;
    await giveTurn();
  };
}

/** Reads in blocks and keeps the last few, because parsers read many short headers in a row. */
export function createFileReader(size: number, load: (at: number, length: number) => Promise<Buffer>): FileReader {
  const blocks = new Map<number, Buffer>();
  const spend = createBudget();
  const getBlock = async (number: number): Promise<Buffer> => {
    const kept = blocks.get(number);
    if (kept !== undefined) return kept;
    const at = number * BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES, size - at);
    const block = await load(at, length);
    if (block.length !== length) throw new UncleanableError('the store has not all of the file');
    if (blocks.size >= BLOCKS_KEPT) blocks.delete(blocks.keys().next().value ?? 0);
    blocks.set(number, block);
    return block;
  };
  const readBlock = async (at: number): Promise<Buffer> => {
    await spend(READ_STEPS);
    if (at < 0 || at >= size) throw new UncleanableError('a part ends behind the file');
    return (await getBlock(Math.floor(at / BLOCK_BYTES))).subarray(at % BLOCK_BYTES);
  };
  return {
    size,
    spend,
    readBlock,
    read: async (at, length) => {
      if (length === 0) return Buffer.alloc(0);
      if (length > LONGEST_READ || at + length > size) throw new UncleanableError('a part ends behind the file');
      const parts: Buffer[] = [];
      for (let got = 0; got < length;) {
        const part = (await readBlock(at + got)).subarray(0, length - got);
        parts.push(part);
        got += part.length;
      }
      return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
    },
  };
}
