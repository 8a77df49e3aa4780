import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { memory, type Subject } from './subject.ts';
import { ceiling, throughput, type Row } from './table.ts';
import { content, buildHeaders, MEBIBYTE, newFolder, send, timed } from './transfer.ts';

const LARGE = 500 * MEBIBYTE;
/** What tus-js-client sends at once (supabase-contract §3.3). */
const PART = 6 * MEBIBYTE;
const PARALLEL = 20;
const EACH = 20 * MEBIBYTE;
const SMALL_FILES = 1_000;
const SMALL_BYTES = 20 * 1024;
const AT_ONCE = 6;

/**
 * Uploads as the browser sends them: a large one in parts, twenty at the same time, a thousand small ones with their
 * rows.
 */
export async function uploadRows(subject: Subject): Promise<Row[]> {
  const plain = await plainRate(path.join(subject.dataDir, 'plain.bin'));
  const folder = await newFolder(subject);
  const before = await memory(subject.pid);
  const resumable = getRate(
    LARGE,
    await timed(() => sendInParts(subject, `${folder}/1_${'b'.repeat(32)}.webm`, LARGE)),
  );
  const between = await memory(subject.pid);
  const parallel = getRate(PARALLEL * EACH, await timed(() => sendTogether(subject, folder)));
  const after = await memory(subject.pid);
  const small = await timed(() => sendSmall(subject, folder));
  const compared = { limit: plain, unit: 'MB/s', aimPercent: 60 };
  return [
    throughput({ what: 'resumable upload of 500 MB, parts of 6 MB', ours: resumable, ...compared }),
    ceiling('memory that it adds', Math.max(0, between.peak - before.now), 'MB', 64),
    throughput({ what: '20 uploads of 20 MB at once', ours: parallel, ...compared }),
    ceiling('memory that they add', Math.max(0, after.peak - before.now), 'MB', 64),
    ceiling(`1,000 files of 20 KB stored and registered, ${AT_ONCE} at once`, small / 1000, 's', 30),
  ];
}

/** The same bytes over HTTP into a file of the same disk, by a process that does nothing else. */
async function plainRate(file: string): Promise<number> {
  const script = fileURLToPath(new URL('plain-server.ts', import.meta.url));
  const server = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  const headers = { 'content-length': LARGE };
  const url = `http://127.0.0.1:${port.toString().trim()}/`;
  const ms = await timed(() => send(url, { method: 'POST', headers, body: content(LARGE) }));
  server.kill();
  await once(server, 'exit');
  return getRate(LARGE, ms);
}

function getRate(bytes: number, ms: number): number {
  return bytes / MEBIBYTE / (ms / 1000);
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

/** Each with its row in `media_uploads`, as a flow does it. */
async function sendSmall(subject: Subject, folder: number): Promise<void> {
  const waiting = Array.from(
    { length: SMALL_FILES },
    (_, index) => `${folder}/3_${String(index).padStart(32, '0')}.webm`,
  );
  const worker = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const headers = { ...buildHeaders(subject), 'content-type': 'video/webm', 'content-length': SMALL_BYTES };
      const body = content(SMALL_BYTES);
      await send(`${subject.url}/storage/v1/object/Media/${name}`, { method: 'POST', headers, body });
      const row = { interview_id: folder, file_path: name, file_type: 'video/webm' };
      const { error } = await subject.client.from('media_uploads').insert(row);
      if (error) throw new Error(error.message);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
