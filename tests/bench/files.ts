import path from 'node:path';
import { memory, memoryBefore, type Subject } from './subject.ts';
import { ceiling, throughput, type Row } from './table.ts';
import { buildHeaders, content, getRate, MEBIBYTE, newFolder, send, startPlainServer, timed } from './transfer.ts';

export const FILE_BYTES = 500 * MEBIBYTE;
const AT_ONCE = 20;
const RANGE_BYTES = 20 * MEBIBYTE;

/** 500 MB up and down, whole and in ranges, against a server that does nothing else, and the memory it takes. */
export async function fileRows(subject: Subject): Promise<Row[]> {
  const url = `${subject.url}/storage/v1/object/Media/${await newFolder(subject)}/1_${'a'.repeat(32)}.webm`;
  const plain = await startPlainServer(path.join(subject.dataDir, 'plain.bin'));
  try {
    const measure = async (address: string, headers: Record<string, string>): Promise<readonly number[]> => {
      const sending = { ...headers, 'content-type': 'video/webm', 'content-length': FILE_BYTES };
      const up = await timed(() => send(address, { method: 'POST', headers: sending, body: content(FILE_BYTES) }));
      const down = await timed(() => download(address, headers));
      const ranges = await timed(() => downloadRanges(address, headers));
      return [getRate(FILE_BYTES, up), getRate(FILE_BYTES, down), getRate(AT_ONCE * RANGE_BYTES, ranges)];
    };
    const limits = await measure(plain.url, {});
    const before = await memoryBefore(subject.pid);
    const ours = await measure(url, buildHeaders(subject));
    const after = await memory(subject.pid);
    const rows = AIMS.map(([what, aimPercent], index) => {
      return throughput({ what, ours: ours[index] ?? 0, limit: limits[index] ?? 0, unit: 'MB/s', aimPercent });
    });
    return [...rows, ceiling('memory that this adds', Math.max(0, after.peak - before), 'MB', 64)];
  } finally {
    await plain.stop();
  }
}

const AIMS = [
  ['upload of 500 MB', 75],
  ['download of 500 MB', 80],
  [`${AT_ONCE} downloads of ranges of 20 MB at once`, 80],
] as const;

/** Reads and counts the whole answer. */
export async function download(url: string, headers: Record<string, string>, bytes = FILE_BYTES): Promise<void> {
  const answer = await fetch(url, { headers });
  if (!answer.ok || answer.body === null) throw new Error(`download: ${answer.status}`);
  let received = 0;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value.byteLength;
  if (received !== bytes) throw new Error(`download: ${received} bytes`);
}

/** Twenty ranges at once. */
export async function downloadRanges(url: string, headers: Record<string, string>): Promise<void> {
  const starts = Array.from({ length: AT_ONCE }, (_, index) => index * RANGE_BYTES);
  const get = (start: number): Promise<void> =>
    download(url, { ...headers, range: `bytes=${start}-${start + RANGE_BYTES - 1}` }, RANGE_BYTES);
  await Promise.all(starts.map(get));
}
