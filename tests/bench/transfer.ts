import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request, type Agent } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Subject } from './subject.ts';

export const MEBIBYTE = 1024 * 1024;

/** Milliseconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Bytes that start like a WebM file, so that content sniffing agrees with the name. */
export function* content(size: number): Generator<Buffer> {
  const block = Buffer.alloc(MEBIBYTE, 7);
  const first = Buffer.from(block);
  Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex').copy(first);
  for (let sent = 0; sent < size; sent += MEBIBYTE)
    yield (sent === 0 ? first : block).subarray(0, Math.min(MEBIBYTE, size - sent));
}

/** MiB a second. */
export function getRate(bytes: number, ms: number): number {
  return bytes / MEBIBYTE / (ms / 1000);
}

/** A process of its own that keeps what it gets in `file` (plain-server.ts). */
export async function startPlainServer(file: string): Promise<Readonly<{ url: string; stop: () => Promise<void> }>> {
  const script = fileURLToPath(new URL('plain-server.ts', import.meta.url));
  const server = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}/`,
    stop: async () => {
      server.kill();
      await once(server, 'exit');
      await rm(file, { force: true });
    },
  };
}

export function buildHeaders(subject: Subject): Record<string, string> {
  return { apikey: subject.key, authorization: `Bearer ${subject.accessToken}` };
}

export type Sending = Readonly<{
  method: 'POST' | 'PATCH';
  headers: Record<string, string | number>;
  body: Iterable<Buffer>;
  agent?: Agent;
}>;

/** Streams a body and resolves with the answer's headers. Throws where it is no success. */
export function send(url: string, { method, headers, body, agent }: Sending): Promise<NodeJS.Dict<string | string[]>> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        (answer.statusCode ?? 500) < 300
          ? resolve(answer.headers)
          : reject(new Error(`${method} ${url}: ${answer.statusCode}`)),
      );
    });
    pipeline(Readable.from(body), sending).catch(reject);
  });
}

/** The folder of a new contribution. */
export async function newFolder(subject: Subject): Promise<number> {
  const row = { created_at: new Date().toISOString() };
  const { data, error } = await subject.client.from('interviews').insert(row).select('id').single<{ id: number }>();
  if (error) throw new Error(error.message);
  return data.id;
}
