import { rm } from 'node:fs/promises';
import path from 'node:path';
import { memory, type Subject } from './subject.ts';
import { ceiling, throughput, type Row } from './table.ts';
import { content, buildHeaders, MEBIBYTE, newFolder, send, timed, toDisk } from './transfer.ts';

export const FILE_BYTES = 500 * MEBIBYTE;

/** 500 MB up and down against a plain stream to (and from) the same disk, and what it does to the server's memory. */
export async function fileRows(subject: Subject): Promise<Row[]> {
  const url = `${subject.url}/storage/v1/object/Media/${await newFolder(subject)}/1_${'a'.repeat(32)}.webm`;
  const plainMs = await timed(() => toDisk(path.join(subject.dataDir, 'plain.bin'), FILE_BYTES));
  const before = await memory(subject.pid);
  const headers = { ...buildHeaders(subject), 'content-type': 'video/webm', 'content-length': FILE_BYTES };
  const uploadMs = await timed(() => send(url, { method: 'POST', headers, body: content(FILE_BYTES) }));
  const downloadMs = await timed(() => download(subject, url));
  const after = await memory(subject.pid);
  await rm(path.join(subject.dataDir, 'plain.bin'));
  const rate = (ms: number): number => FILE_BYTES / MEBIBYTE / (ms / 1000);
  const compared = { limit: rate(plainMs), unit: 'MB/s', aimPercent: 70 };
  return [
    throughput({ what: 'upload of 500 MB', ours: rate(uploadMs), ...compared }),
    throughput({ what: 'download of 500 MB', ours: rate(downloadMs), ...compared }),
    ceiling('memory that 500 MB up and down add', Math.max(0, after.peak - before.now), 'MB', 64),
  ];
}

export async function download(subject: Subject, url: string): Promise<void> {
  const answer = await fetch(url, { headers: buildHeaders(subject) });
  if (!answer.ok || answer.body === null) throw new Error(`download: ${answer.status}`);
  let received = 0;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value.byteLength;
  if (received !== FILE_BYTES) throw new Error(`download: ${received} bytes`);
}
