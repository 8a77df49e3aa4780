import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { formatName, type Loading, type Snapshot, type Table } from '#backend/maintenance.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import type { ArchivePart } from './archive/reader.ts';
import type { ArchiveWriter } from './archive/writer.ts';
import { readAll } from './bytes.ts';
import { BackupError } from './errors.ts';

/** A table is written in pieces of this size: each fits into memory, and its size is known before it is written. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** A piece holds whole messages of PostgreSQL, whose rows are shorter than one gigabyte. */
const LARGEST_PIECE_BYTES = 1024 * 1024 * 1024;

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const compress = promisify<Buffer, object, Buffer>(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Returns the number of rows. */
export async function writeTable(
  writer: ArchiveWriter,
  snapshot: Snapshot,
  table: Table,
  index: number,
): Promise<number> {
  const { content, rows } = snapshot.copyOut(table);
  let number = 0;
  let compressing: Promise<Buffer> | undefined;
  const write = async (): Promise<void> => {
    if (compressing === undefined) return;
    number += 1;
    await writer.add(partName(index, table, number), await compressing);
  };
  // While one piece is compressed by another thread, the next one is read.
  for await (const piece of pieces(content)) {
    await write();
    compressing = compress(piece, FAST);
    compressing.catch(() => undefined);
  }
  await write();
  return rows();
}

/** `database/<place of the table>-<schema.name>/<number>.copy.zst` */
function partName(index: number, table: Table, number: number): string {
  const readable = `${table.schema}.${table.name}`.replaceAll(/[^\w.]/g, '_').slice(0, 60);
  return `${NAMES.database}${String(index).padStart(4, '0')}-${readable}/${String(number).padStart(6, '0')}.copy.zst`;
}

/** Parses the place of a part's table; undefined for parts of other kinds. */
export function tableIndex(partName: string): number | undefined {
  const digits = /^database\/(\d{4,6})-[\w.]+\/\d{6,}\.copy\.zst$/.exec(partName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function unpack(archive: string, part: AsyncIterable<Buffer>): Promise<Buffer> {
  const packed = await readAll(part);
  return decompress(packed, { maxOutputLength: LARGEST_PIECE_BYTES }).catch((cause: unknown) => {
    throw new BackupError('damaged', archive, { cause });
  });
}

async function* pieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

export type SkippedTable = Readonly<{ name: string; rows: number }>;

type Filled = Manifest['tables'][number];
type Running = Readonly<{ index: number; write: (piece: Buffer) => Promise<void>; end: () => Promise<number> }>;

/** Copies the pieces of one table after the other into the database. */
export function createTableFiller(loading: Loading, manifest: Manifest, archive: string) {
  const made = new Map(loading.tables.map((table) => [formatName(table), table]));
  const counted = new Map<number, number>();
  let running: Running | undefined;
  let completed = false;
  const endRunning = async (): Promise<void> => {
    if (running !== undefined) counted.set(running.index, await running.end());
    running = undefined;
  };
  const isSkipped = (table: Filled): boolean => !made.has(formatName(table));
  return {
    take: async ({ name, content }: ArchivePart): Promise<void> => {
      const index = tableIndex(name);
      const table = index === undefined ? undefined : manifest.tables[index];
      if (index === undefined || table === undefined || completed) throw new BackupError('damaged', archive);
      if (isSkipped(table)) return;
      if (running?.index !== index) {
        await endRunning();
        if (counted.has(index)) throw new BackupError('damaged', archive);
        running = run(loading, table, index);
      }
      await running.write(await unpack(archive, content));
    },
    /** Ends the last table. Throws BackupError `damaged` where rows are missing. */
    complete: async (): Promise<void> => {
      completed = true;
      await endRunning();
      const isComplete = manifest.tables.every(
        (table, index) => isSkipped(table) || (counted.get(index) ?? 0) === table.rows,
      );
      if (!isComplete) throw new BackupError('damaged', archive);
    },
    skipped: (): SkippedTable[] =>
      manifest.tables
        .filter((table) => isSkipped(table) && table.rows > 0)
        .map((table) => ({ name: formatName(table), rows: table.rows })),
  };
}

function run(loading: Loading, table: Table, index: number): Running {
  const { sink, rows } = loading.copyIn(table);
  // A refusal of the database comes as an event, whichever write is waiting.
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  sink.on('error', refused.reject);
  const done = (start: (tell: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([
      refused.promise,
      new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve()))),
    ]);
  return {
    index,
    write: (piece) => done((tell) => void sink.write(piece, tell)),
    end: async () => {
      await done((tell) => void sink.end(tell));
      return rows();
    },
  };
}
