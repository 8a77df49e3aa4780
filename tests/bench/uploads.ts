import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import path from 'node:path';
import pg from 'pg';
import { getDatabaseUrl } from './rest.ts';
import { memory, memoryBefore, type Subject } from './subject.ts';
import { ceiling, throughput, type Row } from './table.ts';
import { content, buildHeaders, getRate, MEBIBYTE, newFolder, send, startPlainServer, timed } from './transfer.ts';

const LARGE = 500 * MEBIBYTE;
/** What tus-js-client sends at once (supabase-contract §3.3). */
const PART = 6 * MEBIBYTE;
const PARALLEL = 20;
const EACH = 20 * MEBIBYTE;
const SMALL_FILES = 1_000;
const SMALL_BYTES = 20 * 1024;
/** A contribution holds no more than a few hundred files. */
const EACH_FOLDER = 100;
const AT_ONCE = 6;

/**
 * Uploads as the browser sends them: a large one in parts, twenty at the same time, a thousand small ones with their
 * rows.
 */
export async function uploadRows(subject: Subject): Promise<Row[]> {
  const plain = await plainRate(path.join(subject.dataDir, 'plain.bin'));
  const folder = await newFolder(subject);
  const before = await memoryBefore(subject.pid);
  const resumable = getRate(
    LARGE,
    await timed(() => sendInParts(subject, `${folder}/1_${'b'.repeat(32)}.webm`, LARGE)),
  );
  const between = await memory(subject.pid);
  const parallel = getRate(PARALLEL * EACH, await timed(() => sendTogether(subject, folder)));
  const after = await memory(subject.pid);
  const small = await timed(() => sendSmall(subject));
  const plainSmall = await timed(() => writeSmall(subject));
  const compared = { limit: plain, unit: 'MB/s' };
  return [
    throughput({ what: 'resumable upload of 500 MB, parts of 6 MB', ours: resumable, ...compared, aimPercent: 70 }),
    ceiling('memory that it adds', Math.max(0, between.peak - before), 'MB', 64),
    throughput({ what: '20 uploads of 20 MB at once', ours: parallel, ...compared, aimPercent: 75 }),
    ceiling('memory that they add', Math.max(0, after.peak - before), 'MB', 64),
    ceiling(`1,000 files of 20 KB stored and registered, ${AT_ONCE} at once`, small / 1000, 's', 12),
    throughput({
      what: 'the same, against as many flushed files and rows written plainly',
      ours: SMALL_FILES / (small / 1000),
      limit: SMALL_FILES / (plainSmall / 1000),
      unit: 'files/s',
      aimPercent: 30,
    }),
  ];
}

/** The same bytes over HTTP into a file of the same disk, by a process that does nothing else. */
async function plainRate(file: string): Promise<number> {
  const plain = await startPlainServer(file);
  const headers = { 'content-length': LARGE };
  const ms = await timed(() => send(plain.url, { method: 'POST', headers, body: content(LARGE) }));
  await plain.stop();
  return getRate(LARGE, ms);
}

/** tus 1.0, one part after the other over a connection that stays open. */
export async function sendInParts(subject: Subject, name: string, size: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const shared = { ...buildHeaders(subject), 'tus-resumable': '1.0.0' };
  const metadata = { bucketName: 'Media', objectName: name, contentType: 'video/webm', cacheControl: '3600' };
  const announced = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  const made = await send(`${subject.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: { ...shared, 'upload-length': size, 'upload-metadata': announced.join(','), 'content-length': 0 },
    body: [],
    agent,
  });
  for (let offset = 0; offset < size; offset += PART) {
    const bytes = Math.min(PART, size - offset);
    const about = {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': offset,
      'content-length': bytes,
    };
    await send(String(made['location']), {
      method: 'PATCH',
      headers: { ...shared, ...about },
      body: content(bytes),
      agent,
    });
  }
  agent.destroy();
}

async function sendTogether(subject: Subject, folder: number): Promise<void> {
  const names = Array.from({ length: PARALLEL }, (_, index) => `${folder}/2_${String(index).padStart(32, '0')}.webm`);
  await Promise.all(names.map((name) => sendInParts(subject, name, EACH)));
}

async function sendSmall(subject: Subject): Promise<void> {
  const folders = await Promise.all(Array.from({ length: SMALL_FILES / EACH_FOLDER }, () => newFolder(subject)));
  await sixAtOnce(SMALL_FILES, async (index) =>
    storeSmallFile(subject, folders[Math.floor(index / EACH_FOLDER)] ?? 0, index),
  );
}

/** A contribution with so many files; returns its number. */
export async function storeSmallFiles(subject: Subject, count: number): Promise<number> {
  const folder = await newFolder(subject);
  await sixAtOnce(count, (index) => storeSmallFile(subject, folder, index));
  return folder;
}

/** With its row in `media_uploads`, as a flow does it. */
async function storeSmallFile(subject: Subject, folder: number, index: number): Promise<void> {
  const name = `${folder}/3_${String(index).padStart(32, '0')}.webm`;
  const headers = { ...buildHeaders(subject), 'content-type': 'video/webm', 'content-length': SMALL_BYTES };
  const body = content(SMALL_BYTES);
  await send(`${subject.url}/storage/v1/object/Media/${name}`, { method: 'POST', headers, body });
  const row = { interview_id: folder, file_path: name, file_type: 'video/webm' };
  const { error } = await subject.client.from('media_uploads').insert(row);
  if (error) throw new Error(error.message);
}

/** The least of it: a flushed file and a committed row each. */
async function writeSmall(subject: Subject): Promise<void> {
  const folder = path.join(subject.dataDir, 'plain');
  await mkdir(folder);
  const pool = new pg.Pool({ connectionString: await getDatabaseUrl(subject.dataDir), max: AT_ONCE });
  await pool.query('create table public.bench_files (name text)');
  await sixAtOnce(SMALL_FILES, async () => {
    const name = randomUUID();
    const handle = await open(path.join(folder, name), 'wx');
    await handle.writeFile(Buffer.alloc(SMALL_BYTES, 7));
    await handle.sync();
    await handle.close();
    await pool.query('insert into public.bench_files values ($1)', [name]);
  });
  await pool.query('drop table public.bench_files');
  await pool.end();
  await rm(folder, { recursive: true });
}

async function sixAtOnce(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
