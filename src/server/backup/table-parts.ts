import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Snapshot, Table } from '#backend/maintenance.ts';
import type { ArchiveWriter } from './archive/writer.ts';
import { whole } from './bytes.ts';
import { NAMES } from './archive/manifest.ts';

/** A table is cut into pieces of this size, so that each can be held in memory and its size is known before it is written. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** A piece holds whole messages of PostgreSQL; no row of one gigabyte exists. */
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

/** The place of the table a part belongs to; undefined for the name of another kind of part. */
export function tableIndex(partName: string): number | undefined {
  const digits = /^database\/(\d{4,6})-[\w.]+\/\d{6,}\.copy\.zst$/.exec(partName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export async function unpack(part: AsyncIterable<Buffer>): Promise<Buffer> {
  return decompress(await whole(part), { maxOutputLength: LARGEST_PIECE_BYTES });
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
