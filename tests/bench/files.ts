import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ceiling, throughput, type Row } from './table.ts';
import { memory, type Subject } from './subject.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE = 500 * MEBIBYTE;

/** 500 MB up and down against a plain stream to (and from) the same disk, and what it does to the server's memory. */
export async function fileRows(subject: Subject): Promise<Row[]> {
  const { data, error } = await subject.client
    .from('interviews')
    .insert({ created_at: new Date().toISOString() })
    .select('id')
    .single();
  if (error) throw new Error(error.message);
  const name = `/storage/v1/object/Media/${data.id}/1_${'a'.repeat(32)}.webm`;
  const plainMs = await timed(() => toDisk(path.join(subject.dataDir, 'plain.bin')));
  const before = await memory(subject.pid);
  const uploadMs = await timed(() => upload(subject, name));
  const downloadMs = await timed(() => download(subject, name));
  const after = await memory(subject.pid);
  await rm(path.join(subject.dataDir, 'plain.bin'));
  const rate = (ms: number): number => SIZE / MEBIBYTE / (ms / 1000);
  return [
    throughput({ what: 'upload of 500 MB', ours: rate(uploadMs), limit: rate(plainMs), unit: 'MB/s', aimPercent: 70 }),
    throughput({
      what: 'download of 500 MB',
      ours: rate(downloadMs),
      limit: rate(plainMs),
      unit: 'MB/s',
      aimPercent: 70,
    }),
    ceiling('memory that 500 MB up and down add', Math.max(0, after.peak - before.now), 'MB', 64),
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Bytes that start like a WebM file, so that content sniffing agrees with the name. */
function* content(): Generator<Buffer> {
  const block = Buffer.alloc(MEBIBYTE, 7);
  const first = Buffer.from(block);
  Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex').copy(first);
  yield first;
  for (let sent = MEBIBYTE; sent < SIZE; sent += MEBIBYTE) yield block;
}

async function toDisk(file: string): Promise<void> {
  await pipeline(Readable.from(content()), createWriteStream(file));
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}

function upload(subject: Subject, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${subject.url}${name}`,
      { method: 'POST', headers: { ...headers(subject), 'content-type': 'video/webm', 'content-length': SIZE } },
      (answer) => {
        answer.resume();
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`upload: ${answer.statusCode}`)),
        );
      },
    );
    pipeline(Readable.from(content()), sending).catch(reject);
  });
}

async function download(subject: Subject, name: string): Promise<void> {
  const answer = await fetch(`${subject.url}${name}`, { headers: headers(subject) });
  if (!answer.ok || answer.body === null) throw new Error(`download: ${answer.status}`);
  let received = 0;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value.byteLength;
  if (received !== SIZE) throw new Error(`download: ${received} bytes`);
}

function headers(subject: Subject): Record<string, string> {
  return { apikey: subject.key, authorization: `Bearer ${subject.accessToken}` };
}
