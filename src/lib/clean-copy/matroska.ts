import { createEditList, UncleanableError, type Edit, type EditList, type FileReader } from './edits.ts';

type Element = Readonly<{ id: number; start: number; body: number; end: number; isOpen: boolean }>;

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const VOID = 0xec;
const CRC = 0xbf;
/** SeekHead, Tracks, Cues. */
const KEPT = new Set([0x114d9b74, 0x1654ae6b, 0x1c53bb6b]);
/** What a cluster of unknown length holds: times, blocks, groups of blocks. */
const IN_CLUSTER = new Set([0xe7, 0xa3, 0xa0, 0xab, 0xa7, 0x5854, 0xaf]);
/** Title, name of the file, programs that wrote it. */
const INFO_TEXTS = new Set([0x7ba9, 0x7384, 0x4d80, 0x5741]);
const LONGEST_HEAD = 12;

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
    if (element.id === INFO) await planInfo(file, edits, element);
    else if (!isCluster && !KEPT.has(element.id) && !IN_CLUSTER.has(element.id)) blankElement(edits, element);
    // The content of an open cluster follows as if it stood beside it.
    at = isCluster && element.isOpen ? element.body : element.end;
  }
  edits.remove(segment.end, file.size);
  return edits.finish();
}

async function planInfo(file: FileReader, edits: EditList, info: Element): Promise<void> {
  for (let at = info.body; at < info.end;) {
    const element = await readElement(file, at, info.end);
    if (INFO_TEXTS.has(element.id)) edits.blank(element.body, element.end);
    // The checksum counted the texts.
    else if (element.id === CRC) blankElement(edits, element);
    at = element.end;
  }
}

/** Throws UncleanableError for an element that does not fit into its parent. */
async function readElement(file: FileReader, start: number, until: number): Promise<Element> {
  const head = await file.read(start, Math.min(LONGEST_HEAD, until - start));
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  const sizeBytes = Math.clz32(head[idBytes] ?? 0) - 23;
  if (idBytes > 4 || sizeBytes > 8 || idBytes + sizeBytes > head.length)
    throw new UncleanableError('an element has no length');
  const id = head.readUIntBE(0, idBytes);
  const size = readSize(head.subarray(idBytes, idBytes + sizeBytes));
  const body = start + idBytes + sizeBytes;
  const end = size === undefined ? until : body + size;
  if (end > until) throw new UncleanableError('an element does not fit into its parent');
  return { id, start, body, end, isOpen: size === undefined };
}

/** The first bit that is set says how many bytes there are; undefined where all others are set. */
function readSize(bytes: Buffer): number | undefined {
  const bits = BigInt(7 * bytes.length);
  const value = BigInt(`0x${bytes.toString('hex')}`) & ((1n << bits) - 1n);
  return value === (1n << bits) - 1n ? undefined : Number(value);
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
