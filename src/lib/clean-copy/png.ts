import { crc32 } from 'node:zlib';
import { createEditList, type Edit } from './edits.ts';
import { readOrientation, writeOrientation } from './exif.ts';
import { UncleanableError, type FileReader } from './file-reader.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const FRAME_BYTES = 12;
const LONGEST_EXIF = 64 * 1024;

/** What a picture is drawn from, and its colours; every other chunk goes. */
// prettier-ignore
const KEPT = new Set([
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
    } else if (!KEPT.has(type)) edits.remove(at, end);
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
