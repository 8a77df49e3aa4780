import type { EditList } from './edits.ts';
import { UncleanableError, type FileReader } from './file-reader.ts';
import { listBoxes, type Box } from './iso-boxes.ts';

const MAX_SAMPLES = 1_000_000;
const MAX_RUNS = 100_000;
const PIECE = 8_192;

/** Blanks the samples of a track where they lie in the file: a film carries the positions of its way there. */
export async function blankSamples(file: FileReader, edits: EditList, stbl: Box): Promise<void> {
  const tables = new Map<string, Box>();
  for await (const box of listBoxes(file, stbl.body, stbl.end)) tables.set(box.type, box);
  const [stsz, stsc] = [tables.get('stsz'), tables.get('stsc')];
  const chunks = tables.get('stco') ?? tables.get('co64');
  if (stsz === undefined || stsc === undefined || chunks === undefined)
    throw new UncleanableError('a track does not say where it lies');
  const sizes = readSizes(file, stsz);
  const runs = await readRuns(file, stsc);
  const width = chunks.type === 'co64' ? 8 : 4;
  let number = 0;
  let run = 0;
  for await (const entry of readEntries(file, chunks, { head: 4, width })) {
    number += 1;
    const start = width === 8 ? Number(entry.readBigUInt64BE(0)) : entry.readUInt32BE(0);
    let length = 0;
    while ((runs[run + 1]?.first ?? Infinity) <= number) run += 1;
    for (let left = runs[run]?.samples ?? 0; left > 0; left -= 1) {
      const { value, done } = await sizes.next();
      if (done === true) break;
      length += value;
    }
    if (start + length > file.size) throw new UncleanableError('a sample lies behind the file');
    edits.blank(start, start + length);
  }
  if ((await sizes.next()).done !== true) throw new UncleanableError('some samples lie nowhere');
}

async function* readSizes(file: FileReader, stsz: Box): AsyncGenerator<number> {
  const same = (await file.read(stsz.body + 4, 4)).readUInt32BE(0);
  const count = (await file.read(stsz.body + 8, 4)).readUInt32BE(0);
  if (count > MAX_SAMPLES) throw new UncleanableError('too many samples');
  if (same === 0) for await (const entry of readEntries(file, stsz, { head: 8, width: 4 })) yield entry.readUInt32BE(0);
  else for (let sample = 0; sample < count; sample += 1) yield same;
}

async function readRuns(file: FileReader, stsc: Box): Promise<readonly Readonly<{ first: number; samples: number }>[]> {
  const runs: { first: number; samples: number }[] = [];
  for await (const entry of readEntries(file, stsc, { head: 4, width: 12 })) {
    if (runs.push({ first: entry.readUInt32BE(0), samples: entry.readUInt32BE(4) }) > MAX_RUNS)
      throw new UncleanableError('too many runs of chunks');
  }
  return runs;
}

/** The entries of a table, whose number stands before them. */
async function* readEntries(
  file: FileReader,
  { body, end }: Box,
  { head, width }: Readonly<{ head: number; width: number }>,
): AsyncGenerator<Buffer> {
  const count = (await file.read(body + head, 4)).readUInt32BE(0);
  const first = body + head + 4;
  if (count > MAX_SAMPLES || first + count * width > end) throw new UncleanableError('a table ends behind its box');
  for (let entry = 0; entry < count; entry += PIECE) {
    const some = Math.min(PIECE, count - entry);
    const piece = await file.read(first + entry * width, some * width);
    for (let at = 0; at < some; at += 1) yield piece.subarray(at * width, (at + 1) * width);
  }
}
