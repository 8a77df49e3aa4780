import { createEditList, UncleanableError, type Edit, type EditList, type FileReader } from './edits.ts';

type Element = Readonly<{ id: number; start: number; body: number; end: number; isOpen: boolean }>;

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const VOID = 0xec;
const CRC = 0xbf;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
/** 1 is video, 2 audio. */
const TRACK_TYPE = 0x83;
/** SeekHead, Cues. */
const KEPT = new Set([0x114d9b74, 0x1c53bb6b]);
/** What a cluster of unknown length holds: times, blocks, groups of blocks. */
const IN_CLUSTER = new Set([0xe7, 0xa3, 0xa0, 0xab, 0xa7, 0x5854, 0xaf]);
/**
 * Title, names of the file, of the one before and of the next one, programs that wrote it; names of a track and of its
 * coder, which programs take over from a camera's film.
 */
const TEXTS = new Set([0x7ba9, 0x7384, 0x3c83ab, 0x3e83bb, 0x4d80, 0x5741, 0x536e, 0x258688]);
const LONGEST_HEAD = 12;
/** Less than a millisecond. */
const ELEMENTS_AT_ONCE = 4_096;

/** WebM: makes free space of tags, attachments, chapters and unknown elements, and blanks the texts about the film. */
export async function planMatroska(file: FileReader): Promise<readonly Edit[]> {
  const edits = createEditList();
  const head = await readElement(file, 0, file.size);
  const segment = await readElement(file, head.end, file.size);
  if (head.id !== EBML || segment.id !== SEGMENT) throw new UncleanableError('there is no film');
  for (let at = segment.body; at < segment.end;) {
    const element = await readElement(file, at, segment.end);
    const isCluster = element.id === CLUSTER;
    if (element.isOpen && !isCluster) throw new UncleanableError('an element of unknown length');
    if (element.id === INFO || element.id === TRACKS) await planTexts(file, edits, element);
    else if (!isCluster && !KEPT.has(element.id) && !IN_CLUSTER.has(element.id)) blankElement(edits, element);
    // The content of an open cluster follows as if it stood beside it.
    at = isCluster && element.isOpen ? element.body : element.end;
    if (element.isOpen || IN_CLUSTER.has(element.id)) at = await passClusterContent(file, at, segment.end);
  }
  edits.remove(segment.end, file.size);
  return edits.finish();
}

/**
 * Blanks the texts about a film or its tracks, and the checksums that counted them. Returns whether there was a text.
 * Throws UncleanableError for a track of neither picture nor sound: what it says stands among the frames of the others.
 */
async function planTexts(file: FileReader, edits: EditList, parent: Element): Promise<boolean> {
  let checksum: Element | undefined;
  let isChanged = false;
  let type = '';
  for (let at = parent.body; at < parent.end;) {
    const part = await readElement(file, at, parent.end);
    const { id, body, end } = part;
    if (id === CRC) checksum = part;
    else if (id === TRACK && parent.id === TRACKS) isChanged = (await planTexts(file, edits, part)) || isChanged;
    else if (id === TRACK_TYPE) type += end - body === 1 ? (await file.read(body, 1)).toString('hex') : '?';
    else if (TEXTS.has(id)) {
      edits.blank(body, end);
      isChanged = true;
    }
    at = end;
  }
  if (parent.id === TRACK && !/^0[12]$/.test(type)) throw new UncleanableError('a track of neither picture nor sound');
  if (isChanged && checksum !== undefined) blankElement(edits, checksum);
  return isChanged;
}

/** Throws UncleanableError for an element that does not fit into its parent. */
async function readElement(file: FileReader, start: number, until: number): Promise<Element> {
  const head = parseHead(await file.read(start, Math.min(LONGEST_HEAD, until - start)), 0);
  if (head === undefined) throw new UncleanableError('an element has no length');
  const { id, size } = head;
  const body = start + head.length;
  const end = size === undefined ? until : body + size;
  if (end > until) throw new UncleanableError('an element does not fit into its parent');
  return { id, start, body, end, isOpen: size === undefined };
}

/**
 * Passes what a cluster holds, as far as it lies in the block in memory, without a read for each element: an open
 * cluster has them by the hundred thousand. Stops where an element is another one or does not fit.
 */
async function passClusterContent(file: FileReader, from: number, until: number): Promise<number> {
  if (from >= until) return from;
  const block = await file.readBlock(from);
  const last = Math.min(block.length, until - from) - LONGEST_HEAD;
  let at = 0;
  let passed = 0;
  for (; at <= last && passed < ELEMENTS_AT_ONCE; passed += 1) {
    const head = parseHead(block, at);
    if (head?.size === undefined || !IN_CLUSTER.has(head.id)) break;
    const next = at + head.length + head.size;
    if (from + next > until) break;
    at = next;
  }
  await file.spend(passed);
  return from + at;
}

/** Undefined where no head of an element stands, or not all of it. */
function parseHead(bytes: Buffer, at: number) {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  const sizeBytes = Math.clz32(bytes[at + idBytes] ?? 0) - 23;
  if (idBytes > 4 || sizeBytes > 8 || at + idBytes + sizeBytes > bytes.length) return undefined;
  const size = readSize(bytes, at + idBytes, sizeBytes);
  return { id: bytes.readUIntBE(at, idBytes), length: idBytes + sizeBytes, size };
}

/** The first bit that is set says how many bytes there are; undefined where all others are set. */
function readSize(bytes: Buffer, at: number, length: number): number | undefined {
  const mask = 0xff >> length;
  let size = (bytes[at] ?? 0) & mask;
  let isOpen = size === mask;
  for (let next = at + 1; next < at + length; next += 1) {
    const byte = bytes[next] ?? 0;
    isOpen &&= byte === 0xff;
    size = size * 256 + byte;
  }
  return isOpen ? undefined : size;
}

/** A void element of the same length. */
function blankElement(edits: EditList, { start, end }: Element): void {
  const length = end - start;
  const sizeBytes = length >= 9 ? 8 : 1;
  const head = Buffer.alloc(1 + sizeBytes);
  head[0] = VOID;
  if (sizeBytes === 8) head.writeBigUInt64BE((1n << 56n) | BigInt(length - 9), 1);
  else head[1] = 0x80 | (length - 2);
  edits.replace(start, start + head.length, head);
  edits.blank(start + head.length, end);
}
