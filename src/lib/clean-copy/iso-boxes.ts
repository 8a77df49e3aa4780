import { UncleanableError, type EditList, type FileReader, type Planning } from './edits.ts';

/** A box of the ISO base media format: MP4, QuickTime, HEIC, AVIF. */
export type Box = Readonly<{ type: string; start: number; body: number; end: number }>;

const HEAD_BYTES = 8;
const LARGE_HEAD_BYTES = 16;
const FREE = Buffer.from('free', 'latin1');

/** Lists the boxes from `from` to `until`. Throws UncleanableError for a box that does not fit into its parent. */
export async function* listBoxes(file: FileReader, from: number, until: number): AsyncGenerator<Box> {
  for (let start = from; start < until;) {
    const head = await file.read(start, HEAD_BYTES);
    const size = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    const isLarge = size === 1;
    const body = start + (isLarge ? LARGE_HEAD_BYTES : HEAD_BYTES);
    const end = size === 0 && until === file.size ? until : start + (isLarge ? await readLarge(file, start + 8) : size);
    if (end < body || end > until) throw new UncleanableError('a box does not fit into its parent');
    yield { type, start, body, end };
    start = end;
  }
}

/** The first box of a type. Throws UncleanableError without one. */
export async function findBox(file: FileReader, parent: Pick<Box, 'body' | 'end'>, type: string): Promise<Box> {
  for await (const box of listBoxes(file, parent.body, parent.end)) if (box.type === type) return box;
  throw new UncleanableError(`there is no box ${type}`);
}

/** Makes free space of a box and leaves every other byte where it is, because tables name places in the file. */
export function blankBox(edits: EditList, { start, body, end }: Box): void {
  edits.replace(start + 4, start + 8, FREE);
  edits.blank(body, end);
}

async function readLarge(file: FileReader, at: number): Promise<number> {
  const size = (await file.read(at, 8)).readBigUInt64BE(0);
  return size > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(size);
}

const HANDLER_NAME = 24;

/** What a track or a meta box holds: `vide`, `soun`, `pict` … */
export async function readHandler(file: FileReader, { body }: Box): Promise<string> {
  return (await file.read(body + 8, 4)).toString('latin1');
}

/** The name of a handler often is the device's. */
export function blankHandlerName(edits: EditList, { body, end }: Box): void {
  edits.blank(body + HANDLER_NAME, end);
}

/** In the table of samples all but these are needed. */
const NOT_IN_TABLE = new Set(['udta', 'meta', 'uuid', 'free', 'skip']);

/** Blanks what the table of a track's samples says besides. `handler`: what the track holds. */
export async function planTable({ file, edits }: Planning, stbl: Box, handler: string): Promise<void> {
  for await (const box of listBoxes(file, stbl.body, stbl.end)) {
    if (NOT_IN_TABLE.has(box.type)) blankBox(edits, box);
    else if (box.type === 'stsd') await blankDescriptions({ file, edits }, box, handler);
  }
}

/** In a description of pictures or sound: the vendor of the coder. */
const VENDOR = { from: 12, to: 16 };
/** In one of pictures: the name of the coder, which cameras fill with their own ('GoPro AVC encoder'). */
const CODER_NAME = { from: 42, to: 74 };
/** In one of a time code: behind this stands the name of the reel. */
const TIME_CODE_BYTES = 26;

/** Blanks what the descriptions of a track's samples say about the device. */
async function blankDescriptions({ file, edits }: Planning, stsd: Box, handler: string): Promise<void> {
  let left = (await file.read(stsd.body + 4, 4)).readUInt32BE(0);
  if (left === 0) return;
  for await (const entry of listBoxes(file, stsd.body + 8, stsd.end)) {
    if (handler === 'tmcd') blankTail(edits, entry);
    else {
      blankWithin(edits, entry, VENDOR);
      if (handler !== 'soun') blankWithin(edits, entry, CODER_NAME);
    }
    left -= 1;
    // Some writers put bytes behind the last one.
    if (left === 0) return edits.blank(entry.end, stsd.end);
  }
}

function blankWithin(edits: EditList, { body, end }: Box, { from, to }: Readonly<{ from: number; to: number }>): void {
  edits.blank(Math.min(body + from, end), Math.min(body + to, end));
}

/** Makes one box of free space of all that stands behind a time code's own fields. */
function blankTail(edits: EditList, { body, end }: Box): void {
  const start = body + TIME_CODE_BYTES;
  if (end - start < HEAD_BYTES) return edits.blank(start, end);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(end - start, 0);
  FREE.copy(head, 4);
  edits.replace(start, start + HEAD_BYTES, head);
  edits.blank(start + HEAD_BYTES, end);
}
