import { createEditList, UncleanableError, type Edit, type EditList, type FileReader } from './edits.ts';

const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const EXIF = 'Exif\0\0';
/** A JFIF segment without a thumbnail. */
const JFIF_BYTES = 16;
const ADOBE_BYTES = 14;

/** Searching so many bytes takes about as long as passing an element. */
const BYTES_A_STEP = 128;

type Segment = Readonly<{ marker: number; start: number; end: number }>;

/**
 * Keeps what a picture is decoded from, the colour profile and the orientation; takes out all other application
 * segments, comments, and what follows the end of the picture (previews, the video of a moving picture).
 */
export async function planJpeg(file: FileReader): Promise<readonly Edit[]> {
  const edits = createEditList();
  let hasScan = false;
  let hasExif = false;
  for (let at = 2; ;) {
    const marker = await findMarker(file, at, hasScan);
    if (marker === undefined) break;
    if (marker.code === EOI) {
      edits.remove(marker.end, file.size);
      break;
    }
    at = marker.end;
    if (isStandalone(marker.code)) continue;
    const length = (await file.read(at, 2)).readUInt16BE(0);
    const segment: Segment = { marker: marker.code, start: marker.start, end: at + length };
    if (length < 2 || segment.end > file.size) throw new UncleanableError('a segment has a wrong length');
    if (marker.code === SOS) hasScan = true;
    else hasExif = (await planSegment(file, segment, edits, hasExif)) || hasExif;
    at = segment.end;
  }
  if (!hasScan) throw new UncleanableError('there is no picture');
  return edits.finish();
}

/** Between segments a marker follows at once; in a scan it is searched for. Undefined at the end of a cut picture. */
async function findMarker(file: FileReader, from: number, inScan: boolean) {
  for (let at = from; at < file.size - 1;) {
    const block = await file.readBlock(at);
    // The code of a marker may stand in the next block.
    const bytes = block.length > 1 ? block : await file.read(at, 2);
    if (bytes[0] !== 0xff && !inScan) throw new UncleanableError('there is no segment');
    const found = searchMarker(bytes, inScan);
    await file.spend(Math.ceil(found / BYTES_A_STEP));
    const start = at + found;
    const code = bytes[found + 1];
    if (code !== undefined) return { code, start, end: start + 2 };
    at = start;
  }
  if (inScan) return undefined;
  throw new UncleanableError('the picture has no end');
}

/**
 * The place of a marker whose code is in `bytes` too; without one, from where to search on: the last byte or the end.
 * Synchronous and byte by byte, because a scan may consist of stuffed bytes alone.
 */
function searchMarker(bytes: Buffer, inScan: boolean): number {
  const last = bytes.length - 1;
  let at = 0;
  while (at < last) {
    const code = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || code === 0xff) at += 1;
    else if (inScan && (code === 0 || isRestart(code))) at += 2;
    else return at;
  }
  return at;
}

function isRestart(code: number): boolean {
  return code >= 0xd0 && code <= 0xd7;
}

/** Throws for what no baseline or progressive picture contains here: another picture, or a reserved code. */
function isStandalone(code: number): boolean {
  if (code === 0x01 || isRestart(code)) return true;
  if (code < 0xc0 || code === 0xd8) throw new UncleanableError('an unknown segment');
  return false;
}

/** Returns whether the segment is Exif. */
async function planSegment(file: FileReader, segment: Segment, edits: EditList, hasExif: boolean): Promise<boolean> {
  const { marker, start, end } = segment;
  if (marker < APP0) return false;
  const content = await file.read(start + 4, end - start - 4);
  if (marker === APP1 && content.toString('latin1', 0, 6) === EXIF) {
    const tiff = hasExif ? undefined : writeOrientation(readOrientation(content.subarray(6)));
    if (tiff === undefined) edits.remove(start, end);
    else edits.replace(start, end, writeExif(tiff));
    return true;
  }
  if (marker === APP0 && content.toString('latin1', 0, 5) === 'JFIF\0') {
    if (end - start - 2 > JFIF_BYTES) edits.replace(start, end, writeJfif(content));
  } else if (!isNeeded(marker, content)) edits.remove(start, end);
  return false;
}

function isNeeded(marker: number, content: Buffer): boolean {
  if (marker === APP2) return content.toString('latin1', 0, 12) === 'ICC_PROFILE\0';
  if (marker === APP14) return content.toString('latin1', 0, 5) === 'Adobe' && content.length + 2 <= ADOBE_BYTES;
  return false;
}

function writeExif(tiff: Buffer): Buffer {
  const head = Buffer.from([0xff, APP1, 0, EXIF.length + tiff.length + 2]);
  return Buffer.concat([head, Buffer.from(EXIF, 'latin1'), tiff]);
}

/** The same density without the thumbnail. */
function writeJfif(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, APP0, 0, JFIF_BYTES]), content.subarray(0, 12), Buffer.alloc(2)]);
}

const ORIENTATION = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;
const NORMAL = 1;
const LAST_ORIENTATION = 8;

/** The orientation in the first directory of a TIFF block, 1 to 8; 1 where it says none or is broken. */
export function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return NORMAL;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return NORMAL;
  const little = order === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return NORMAL;
  const count = short(directory);
  for (let entry = 0; entry < count; entry += 1) {
    const at = directory + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return NORMAL;
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 2) === SHORT ? short(at + 8) : NORMAL;
    return value >= NORMAL && value <= LAST_ORIENTATION ? value : NORMAL;
  }
  return NORMAL;
}

/** A TIFF block with only the orientation; undefined where the picture stands upright without it. */
export function writeOrientation(orientation: number): Buffer | undefined {
  if (orientation === NORMAL) return undefined;
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** A valid TIFF block that says nothing. */
export const EMPTY_TIFF = Buffer.from('4d4d002a00000008000000000000', 'hex');
