import { createEditList, measureEdited, type Edit } from './edits.ts';
import { readOrientation, writeOrientation } from './exif.ts';
import { UncleanableError, type FileReader } from './file-reader.ts';

const HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FRAME_HEAD_BYTES = 16;
const LONGEST_EXIF = 64 * 1024;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

const PICTURE = new Set(['VP8 ', 'VP8L', 'ALPH']);
const KEPT = new Set([...PICTURE, 'VP8X', 'ANIM', 'ANMF', 'ICCP']);

type Chunk = Readonly<{ type: string; start: number; body: number; length: number; end: number }>;

/** Takes out Exif (but for the orientation), XMP, unknown chunks, and what follows the end. */
export async function planWebp(file: FileReader): Promise<readonly Edit[]> {
  const end = 8 + (await file.read(4, 4)).readUInt32LE(0);
  if (end > file.size) throw new UncleanableError('the picture ends behind the file');
  const edits = createEditList();
  let flags: Readonly<{ at: number; value: number }> | undefined;
  let orientation: Buffer | undefined;
  for await (const chunk of listChunks(file, HEAD_BYTES, end)) {
    if (chunk.type === 'VP8X') flags = { at: chunk.body, value: (await file.read(chunk.body, 1))[0] ?? 0 };
    if (chunk.type === 'ANMF') await refuseUnknownParts(file, chunk);
    if (chunk.type === 'EXIF' && orientation === undefined && chunk.length <= LONGEST_EXIF) {
      orientation = writeOrientation(readOrientation(skipPrefix(await file.read(chunk.body, chunk.length))));
      edits.replace(chunk.start, chunk.end, orientation === undefined ? Buffer.alloc(0) : writeExif(orientation));
    } else if (!KEPT.has(chunk.type)) edits.remove(chunk.start, chunk.end);
  }
  if (flags !== undefined) {
    const value = flags.value & ~(EXIF_FLAG | XMP_FLAG);
    edits.replace(flags.at, flags.at + 1, Uint8Array.of(orientation === undefined ? value : value | EXIF_FLAG));
  }
  edits.remove(end, file.size);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(measureEdited(file.size, edits.finish()) - 8);
  edits.replace(4, 8, size);
  return edits.finish();
}

async function* listChunks(file: FileReader, from: number, until: number): AsyncGenerator<Chunk> {
  for (let start = from; start < until;) {
    const head = await file.read(start, CHUNK_HEAD_BYTES);
    const length = head.readUInt32LE(4);
    const body = start + CHUNK_HEAD_BYTES;
    const end = body + length + (length % 2);
    // The last chunk of some writers lacks its padding.
    if (body + length > until) throw new UncleanableError('a chunk ends behind the picture');
    yield { type: head.toString('latin1', 0, 4), start, body, length, end: Math.min(end, until) };
    start = end;
  }
}

async function refuseUnknownParts(file: FileReader, { body, length }: Chunk): Promise<void> {
  for await (const { type } of listChunks(file, body + FRAME_HEAD_BYTES, body + length)) {
    if (!PICTURE.has(type)) throw new UncleanableError('an unknown part of a frame');
  }
}

/** Some writers put JPEG's prefix before the block. */
function skipPrefix(content: Buffer): Buffer {
  return content.toString('latin1', 0, 4) === 'Exif' ? content.subarray(6) : content;
}

/** `tiff` has an even number of bytes. */
function writeExif(tiff: Buffer): Buffer {
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(tiff.length, 4);
  return Buffer.concat([head, tiff]);
}
