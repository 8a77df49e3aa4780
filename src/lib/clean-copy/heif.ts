import { UncleanableError, type FileReader, type Planning } from './edits.ts';
import { EMPTY_TIFF } from './jpeg.ts';
import { blankBox, blankHandlerName, findBox, listBoxes, type Box } from './iso-boxes.ts';

/** Items that are pictures, or say how pictures are put together. All others are blanked. */
const PICTURES = new Set(['hvc1', 'av01', 'avc1', 'vvc1', 'lhv1', 'j2k1', 'unci', 'grid', 'iovl', 'iden', 'tmap']);
const KEPT = new Set(['pitm', 'iinf', 'iref', 'iloc', 'idat', 'grpl', 'dinf']);
const TEXT_PROPERTIES = new Set(['udes', 'uuid']);
const MAX_ITEMS = 10_000;
const MAX_EXTENTS = 100_000;
/** Before the block of an Exif item stands its distance. */
const EXIF_PREFIX = 4;
type Item = Readonly<{ id: number; type: string }>;

/** Blanks Exif, XMP and unknown items of a picture where they lie. Orientation is a property here and stays. */
export async function planPictureItems({ file, edits }: Planning, meta: Box): Promise<void> {
  const content = { body: meta.body + 4, end: meta.end };
  let idat: Box | undefined;
  for await (const box of listBoxes(file, content.body, content.end)) {
    if (box.type === 'idat') idat = box;
    if (box.type === 'hdlr') blankHandlerName(edits, box);
    else if (box.type === 'iprp') await planProperties({ file, edits }, box);
    else if (!KEPT.has(box.type)) blankBox(edits, box);
  }
  const items = await readItems(file, await findBox(file, content, 'iinf'));
  if (items.some(({ type }) => type === 'jpeg')) throw new UncleanableError('a picture within the picture');
  const others = new Map(items.filter(({ type }) => !PICTURES.has(type)).map(({ id, type }) => [id, type]));
  const places = await readPlaces(file, await findBox(file, content, 'iloc'));
  for (const { id, extents, from } of places) {
    // Many extents need no bytes of their own where their widths are zero.
    await file.spend(1 + extents.length);
    const type = others.get(id);
    if (type === undefined) continue;
    const base = from === 'file' ? 0 : from === 'idat' ? idat?.body : undefined;
    if (base === undefined) throw new UncleanableError('an item lies in another place');
    for (const { at, length } of extents)
      blankExtent({ file, edits }, { start: base + at, length, isExif: type === 'Exif' });
  }
}

async function planProperties({ file, edits }: Planning, iprp: Box): Promise<void> {
  const ipco = await findBox(file, iprp, 'ipco');
  for await (const box of listBoxes(file, ipco.body, ipco.end)) if (TEXT_PROPERTIES.has(box.type)) blankBox(edits, box);
}

type Extent = Readonly<{ start: number; length: number; isExif: boolean }>;

function blankExtent({ file, edits }: Planning, { start, length, isExif }: Extent): void {
  const end = start + length;
  if (end > file.size) throw new UncleanableError('an item lies behind the file');
  const empty = isExif ? Buffer.concat([Buffer.alloc(EXIF_PREFIX), EMPTY_TIFF]) : Buffer.alloc(0);
  if (length < empty.length) return edits.blank(start, end);
  edits.replace(start, start + empty.length, empty);
  edits.blank(start + empty.length, end);
}

async function readItems(file: FileReader, iinf: Box): Promise<readonly Item[]> {
  const [version = 0] = await file.read(iinf.body, 1);
  const items: Item[] = [];
  for await (const box of listBoxes(file, iinf.body + (version === 0 ? 6 : 8), iinf.end)) {
    if (box.type !== 'infe') continue;
    if (items.length >= MAX_ITEMS) throw new UncleanableError('too many items');
    const [entry = 0] = await file.read(box.body, 1);
    if (entry !== 2 && entry !== 3) throw new UncleanableError('an item of an unknown version');
    const wide = entry === 3;
    const head = await file.read(box.body + 4, wide ? 10 : 8);
    const id = wide ? head.readUInt32BE(0) : head.readUInt16BE(0);
    items.push({ id, type: head.toString('latin1', wide ? 6 : 4, wide ? 10 : 8) });
  }
  return items;
}

type Place = Readonly<{
  id: number;
  from: 'file' | 'idat' | 'elsewhere';
  extents: readonly Readonly<{ at: number; length: number }>[];
}>;

/** The table of places: its numbers have the widths that its head names. */
async function readPlaces(file: FileReader, iloc: Box): Promise<readonly Place[]> {
  const table = await file.read(iloc.body, iloc.end - iloc.body);
  let at = 0;
  const take = (width: number): number => {
    if (at + width > table.length) throw new UncleanableError('the table of places is cut');
    const value = width === 0 ? 0 : width === 8 ? Number(table.readBigUInt64BE(at)) : table.readUIntBE(at, width);
    at += width;
    return value;
  };
  const version = take(1);
  take(3);
  const widths = [take(1), take(1)].flatMap((byte) => [byte >> 4, byte & 0x0f]);
  if (version > 2 || widths.some((width) => ![0, 4, 8].includes(width)))
    throw new UncleanableError('the table of places is not known');
  const [offset = 0, length = 0, base = 0, index = 0] = widths;
  const count = take(version === 2 ? 4 : 2);
  if (count > MAX_ITEMS) throw new UncleanableError('too many places');
  let all = 0;
  return Array.from({ length: count }, () => {
    const id = take(version === 2 ? 4 : 2);
    const method = version === 0 ? 0 : take(2) & 0x0f;
    const isLocal = take(2) === 0;
    const start = take(base);
    const extents = Array.from({ length: take(2) }, () => {
      all += 1;
      if (all > MAX_EXTENTS) throw new UncleanableError('too many places');
      take(version === 0 ? 0 : index);
      return { at: start + take(offset), length: take(length) };
    });
    const from = isLocal && method === 0 ? 'file' : isLocal && method === 1 ? 'idat' : 'elsewhere';
    return { id, from, extents };
  });
}
