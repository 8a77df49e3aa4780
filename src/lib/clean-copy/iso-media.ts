import { createEditList, type Edit, type EditList } from './edits.ts';
import { UncleanableError, type FileReader } from './file-reader.ts';
import { planPictureItems } from './heif.ts';
import { blankBox, blankHandlerName, findBox, listBoxes, readHandler, type Box } from './iso-boxes.ts';
import { blankSamples } from './iso-samples.ts';

/** The boxes of a parent that are kept; every other one becomes free space. */
const KEPT = {
  file: new Set(['ftyp', 'styp', 'sidx', 'ssix', 'mdat', 'mfra', 'pdin', 'prft']),
  moov: new Set(['mvhd', 'iods', 'mvex', 'pssh']),
  trak: new Set(['tkhd', 'edts', 'tref', 'tapt', 'clip', 'matt', 'load']),
  mdia: new Set(['mdhd', 'elng']),
  minf: new Set(['vmhd', 'smhd', 'hmhd', 'nmhd', 'gmhd', 'dinf']),
  moof: new Set(['mfhd', 'pssh']),
  traf: new Set(['tfhd', 'tfdt', 'trun', 'sbgp', 'sgpd', 'subs', 'saiz', 'saio', 'senc']),
} as const;
/** In the table of samples all but these are needed. */
const NOT_IN_TABLE = new Set(['udta', 'meta', 'uuid', 'free', 'skip']);
/** Of other tracks, such as positions or subtitles with them, samples and description are blanked. */
const MEDIA = new Set(['vide', 'soun', 'auxv', 'tmcd', 'pict']);

type Planning = Readonly<{ file: FileReader; edits: EditList }>;
type Visit = (box: Box) => Promise<void> | void;

/** MP4, QuickTime, HEIC and AVIF: blanks places, devices and all else that neither picture nor sound needs. */
export async function planIsoMedia(file: FileReader): Promise<readonly Edit[]> {
  const planning = { file, edits: createEditList() };
  let found = false;
  await walk(planning, { body: 0, end: file.size }, KEPT.file, {
    moov: async (box) => {
      found = true;
      await planMovie(planning, box);
    },
    moof: (box) => planFragment(planning, box),
    meta: async (box) => {
      if (!(await isPictureMeta(file, box))) return blankBox(planning.edits, box);
      found = true;
      return planPictureItems(planning, box);
    },
    // Holds the bytes of pictures that another table describes.
    imda: refuse,
  });
  if (!found) throw new UncleanableError('there is neither film nor picture');
  return planning.edits.finish();
}

async function walk(
  { file, edits }: Planning,
  parent: Pick<Box, 'body' | 'end'>,
  kept: ReadonlySet<string>,
  visits: Readonly<Record<string, Visit>>,
): Promise<void> {
  for await (const box of listBoxes(file, parent.body, parent.end)) {
    const visit = Object.hasOwn(visits, box.type) ? visits[box.type] : undefined;
    if (visit !== undefined) await visit(box);
    else if (!kept.has(box.type)) blankBox(edits, box);
  }
}

function refuse(box: Box): never {
  throw new UncleanableError(`a box ${box.type} cannot be looked into`);
}

async function planMovie(planning: Planning, moov: Box): Promise<void> {
  const mvex = await findBox(planning.file, moov, 'mvex').catch(() => undefined);
  await walk(planning, moov, KEPT.moov, {
    trak: (box) => planTrack(planning, box, mvex !== undefined),
    // Compressed: its bytes are another movie box.
    cmov: refuse,
  });
}

async function planTrack(planning: Planning, trak: Box, isFragmented: boolean): Promise<void> {
  const { file, edits } = planning;
  const mdia = await findBox(file, trak, 'mdia');
  const handler = await readHandler(file, await findBox(file, mdia, 'hdlr'));
  if (!MEDIA.has(handler)) {
    if (isFragmented) throw new UncleanableError('a track of data lies in fragments');
    await blankSamples(file, edits, await findBox(file, await findBox(file, mdia, 'minf'), 'stbl'));
    return blankBox(edits, trak);
  }
  const blankName: Visit = (box) => blankHandlerName(edits, box);
  await walk(planning, trak, KEPT.trak, {
    mdia: (box) =>
      walk(planning, box, KEPT.mdia, {
        hdlr: blankName,
        minf: (minf) => walk(planning, minf, KEPT.minf, { hdlr: blankName, stbl: (stbl) => planTable(planning, stbl) }),
      }),
  });
}

async function planTable({ file, edits }: Planning, stbl: Box): Promise<void> {
  for await (const box of listBoxes(file, stbl.body, stbl.end)) if (NOT_IN_TABLE.has(box.type)) blankBox(edits, box);
}

async function planFragment(planning: Planning, moof: Box): Promise<void> {
  await walk(planning, moof, KEPT.moof, { traf: (box) => walk(planning, box, KEPT.traf, {}) });
}

async function isPictureMeta(file: FileReader, meta: Box): Promise<boolean> {
  const hdlr = await findBox(file, { body: meta.body + 4, end: meta.end }, 'hdlr').catch(() => undefined);
  return hdlr !== undefined && (await readHandler(file, hdlr)) === 'pict';
}
