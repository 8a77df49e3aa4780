import { createEditList, UncleanableError, type Edit, type EditList, type FileReader, type Planning } from './edits.ts';
import { planPictureItems } from './heif.ts';
import { blankBox, planTable, blankHandlerName, findBox, listBoxes, readHandler, type Box } from './iso-boxes.ts';

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
/** Of other tracks, such as positions or subtitles with them, samples and description are blanked. */
const MEDIA = new Set(['vide', 'soun', 'auxv', 'tmcd', 'pict']);
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
    moof: (moof) => walk(planning, moof, KEPT.moof, { traf: (traf) => walk(planning, traf, KEPT.traf, {}) }),
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
        minf: (minf) =>
          walk(planning, minf, KEPT.minf, { hdlr: blankName, stbl: (stbl) => planTable(planning, stbl, handler) }),
      }),
  });
}

async function isPictureMeta(file: FileReader, meta: Box): Promise<boolean> {
  const hdlr = await findBox(file, { body: meta.body + 4, end: meta.end }, 'hdlr').catch(() => undefined);
  return hdlr !== undefined && (await readHandler(file, hdlr)) === 'pict';
}

const MAX_SAMPLES = 1_000_000;
const MAX_RUNS = 100_000;
const PIECE = 8_192;
const ENTRIES_A_STEP = 8;
/** Version, size, number. */
const SIZES_HEAD = 12;

/** Blanks the samples of a track where they lie in the file: a film carries the positions of its way there. */
async function blankSamples(file: FileReader, edits: EditList, stbl: Box): Promise<void> {
  const tables = new Map<string, Box>();
  for await (const box of listBoxes(file, stbl.body, stbl.end)) tables.set(box.type, box);
  const [stsz, stsc] = [tables.get('stsz'), tables.get('stsc')];
  const chunks = tables.get('stco') ?? tables.get('co64');
  if (stsz === undefined || stsc === undefined || chunks === undefined)
    throw new UncleanableError('a track does not say where it lies');
  const sizes = await openSizes(file, stsz);
  const runs = await readRuns(file, stsc);
  const width = chunks.type === 'co64' ? 8 : 4;
  let number = 0;
  let run = 0;
  for await (const piece of readPieces(file, chunks, { head: 4, width })) {
    for (let at = 0; at < piece.length; at += width) {
      number += 1;
      const start = width === 8 ? Number(piece.readBigUInt64BE(at)) : piece.readUInt32BE(at);
      while ((runs[run + 1]?.first ?? Infinity) <= number) run += 1;
      const length = await sizes.take(runs[run]?.samples ?? 0);
      if (start + length > file.size) throw new UncleanableError('a sample lies behind the file');
      edits.blank(start, start + length);
    }
  }
  if (sizes.countLeft() > 0) throw new UncleanableError('some samples lie nowhere');
}

async function openSizes(file: FileReader, stsz: Box) {
  const same = (await file.read(stsz.body + 4, 4)).readUInt32BE(0);
  let left = (await file.read(stsz.body + 8, 4)).readUInt32BE(0);
  if (left > MAX_SAMPLES) throw new UncleanableError('too many samples');
  if (stsz.body + SIZES_HEAD > stsz.end) throw new UncleanableError('a table ends behind its box');
  const pieces = readPieces(file, stsz, { head: 8, width: 4 });
  let piece: Buffer = Buffer.alloc(0);
  let at = 0;
  const takeFromTable = async (samples: number): Promise<number> => {
    let sum = 0;
    for (let taken = 0; taken < samples; taken += 1) {
      if (at === piece.length) {
        piece = (await pieces.next()).value ?? Buffer.alloc(0);
        at = 0;
      }
      sum += piece.readUInt32BE(at);
      at += 4;
    }
    return sum;
  };
  /** The bytes of the next samples together; of fewer where the table ends. */
  const take = async (samples: number): Promise<number> => {
    const taken = Math.min(samples, left);
    left -= taken;
    await file.spend(1);
    // Samples of one size have no table: a million of them must not cost more than one.
    return same === 0 ? takeFromTable(taken) : taken * same;
  };
  return { take, countLeft: (): number => left };
}

async function readRuns(file: FileReader, stsc: Box): Promise<readonly Readonly<{ first: number; samples: number }>[]> {
  const runs: { first: number; samples: number }[] = [];
  for await (const piece of readPieces(file, stsc, { head: 4, width: 12 })) {
    for (let at = 0; at < piece.length; at += 12) {
      if (runs.push({ first: piece.readUInt32BE(at), samples: piece.readUInt32BE(at + 4) }) > MAX_RUNS)
        throw new UncleanableError('too many runs of chunks');
    }
  }
  return runs;
}

/** The entries of a table, whose number stands before them; a few thousand at a time. */
async function* readPieces(
  file: FileReader,
  { body, end }: Box,
  { head, width }: Readonly<{ head: number; width: number }>,
): AsyncGenerator<Buffer, undefined> {
  const count = (await file.read(body + head, 4)).readUInt32BE(0);
  const first = body + head + 4;
  if (count > MAX_SAMPLES || first + count * width > end) throw new UncleanableError('a table ends behind its box');
  for (let entry = 0; entry < count; entry += PIECE) {
    const some = Math.min(PIECE, count - entry);
    await file.spend(some / ENTRIES_A_STEP);
    yield await file.read(first + entry * width, some * width);
  }
}
