import { crc32 } from 'node:zlib';
import { createEditList, measureEdited, UncleanableError, type Edit, type FileReader } from './edits.ts';
import { readOrientation, writeOrientation } from './jpeg.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const FRAME_BYTES = 12;
const LONGEST_EXIF = 64 * 1024;

/** What a picture is drawn from, and its colours; every other chunk goes. */
// prettier-ignore
const PNG_KEPT = new Set([
  'IHDR', 'PLTE', 'IDAT', 'acTL', 'fcTL', 'fdAT',
  'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD', 'hIST', 'pHYs', 'cICP', 'mDCV', 'cLLI',
]);

/** Takes out texts, XMP, Exif (but for the orientation), times, unknown chunks, and what follows the end. */
export async function planPng(file: FileReader): Promise<readonly Edit[]> {
  const edits = createEditList();
  for (let at = SIGNATURE_BYTES; ;) {
    const head = await file.read(at, 8);
    const type = head.toString('latin1', 4, 8);
    const end = at + FRAME_BYTES + head.readUInt32BE(0);
    if (end > file.size) throw new UncleanableError('a chunk ends behind the file');
    if (type === 'IEND') {
      edits.remove(end, file.size);
      return edits.finish();
    }
    if (type === 'eXIf') {
      const tiff = end - at > LONGEST_EXIF ? Buffer.alloc(0) : await file.read(at + 8, end - at - FRAME_BYTES);
      const kept = writeOrientation(readOrientation(tiff));
      edits.replace(at, end, kept === undefined ? Buffer.alloc(0) : writeChunk(type, kept));
    } else if (!PNG_KEPT.has(type)) edits.remove(at, end);
    at = end;
  }
}

function writeChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const GIF_HEAD_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** How often the animation repeats, and the colour profile. */
const GIF_KEPT = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/** Takes out comments, texts, XMP and other extensions, and what follows the end. */
export async function planGif(file: FileReader): Promise<readonly Edit[]> {
  const edits = createEditList();
  const [flags = 0] = await file.read(10, 1);
  for (let at = GIF_HEAD_BYTES + measureTable(flags); ;) {
    const [kind = 0] = await file.read(at, 1);
    if (kind === TRAILER) {
      edits.remove(at + 1, file.size);
      return edits.finish();
    }
    const start = at;
    if (kind === IMAGE) {
      const [table = 0] = await file.read(at + 9, 1);
      at = await skipBlocks(file, at + 11 + measureTable(table));
    } else if (kind === EXTENSION) {
      const [label = 0] = await file.read(at + 1, 1);
      at = await skipBlocks(file, at + 2);
      if (!(await isNeededExtension(file, start, label))) edits.remove(start, at);
    } else throw new UncleanableError('an unknown block');
  }
}

async function isNeededExtension(file: FileReader, start: number, label: number): Promise<boolean> {
  if (label === GRAPHIC_CONTROL) return true;
  if (label !== APPLICATION) return false;
  const head = await file.read(start + 2, 12);
  return head[0] === 11 && GIF_KEPT.has(head.toString('latin1', 1, 12));
}

async function skipBlocks(file: FileReader, from: number): Promise<number> {
  for (let at = from; ;) {
    const block = await file.readBlock(at);
    let next = 0;
    let passed = 0;
    let length: number | undefined;
    while (length !== 0 && next < block.length) {
      length = block[next] ?? 0;
      next += 1 + length;
      passed += 1;
    }
    await file.spend(passed);
    at += next;
    if (length === 0) return at;
  }
}

function measureTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

const WEBP_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FRAME_HEAD_BYTES = 16;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;

const PICTURE = new Set(['VP8 ', 'VP8L', 'ALPH']);
const WEBP_KEPT = new Set([...PICTURE, 'VP8X', 'ANIM', 'ANMF', 'ICCP']);

type Chunk = Readonly<{ type: string; start: number; body: number; length: number; end: number }>;

/** Takes out Exif (but for the orientation), XMP, unknown chunks, and what follows the end. */
export async function planWebp(file: FileReader): Promise<readonly Edit[]> {
  const end = 8 + (await file.read(4, 4)).readUInt32LE(0);
  if (end > file.size) throw new UncleanableError('the picture ends behind the file');
  const edits = createEditList();
  let flags: Readonly<{ at: number; value: number }> | undefined;
  let orientation: Buffer | undefined;
  for await (const chunk of listChunks(file, WEBP_HEAD_BYTES, end)) {
    if (chunk.type === 'VP8X') flags = { at: chunk.body, value: (await file.read(chunk.body, 1))[0] ?? 0 };
    if (chunk.type === 'ANMF') await refuseUnknownParts(file, chunk);
    if (chunk.type === 'EXIF' && orientation === undefined && chunk.length <= LONGEST_EXIF) {
      orientation = writeOrientation(readOrientation(skipPrefix(await file.read(chunk.body, chunk.length))));
      edits.replace(chunk.start, chunk.end, orientation === undefined ? Buffer.alloc(0) : writeExif(orientation));
    } else if (!WEBP_KEPT.has(chunk.type)) edits.remove(chunk.start, chunk.end);
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
