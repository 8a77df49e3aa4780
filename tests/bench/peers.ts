import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '#tests/support/percentile.ts';
import { download, downloadRanges, FILE_BYTES } from './files.ts';
import { describeMachine, watchMachine } from './machine.ts';
import { startSubject, type Subject } from './subject.ts';
import { buildHeaders, content, getRate, MEBIBYTE, newFolder, send, timed } from './transfer.ts';
import { sendInParts } from './uploads.ts';

/**
 * `node tests/bench/peers.ts --nginx /usr/sbin/nginx --tus FOLDER`: what others do with the same bytes on the same
 * machine. FOLDER has `@tus/server` and `@tus/file-store` installed. Rates in MiB/s, the median of three.
 */
const { values } = parseArgs({ options: { nginx: { type: 'string' }, tus: { type: 'string' } } });
const RUNS = 3;
const RANGES = 20 * 20 * MEBIBYTE;

const folder = await mkdtemp(path.join(tmpdir(), 'peers-'));
const subject = await startSubject();
try {
  const { result, machine } = await watchMachine(async () => [
    await measureDownloads('this application', await upload(), buildHeaders(subject)),
    ...(values.nginx === undefined ? [] : [await measureNginx(values.nginx)]),
    ['this application', 'resumable', await measureParts(subject)],
    ...(values.tus === undefined ? [] : [['tus-node-server', 'resumable', await measureTus(values.tus)]]),
  ]);
  process.stdout.write(`${result.map((row) => row.join(': ')).join('\n')}\n${describeMachine(machine)}\n`);
} finally {
  await subject.stop();
  await rm(folder, { recursive: true });
}

async function upload(): Promise<string> {
  const url = `${subject.url}/storage/v1/object/Media/${await newFolder(subject)}/1_${'a'.repeat(32)}.webm`;
  const headers = { ...buildHeaders(subject), 'content-type': 'video/webm', 'content-length': FILE_BYTES };
  await send(url, { method: 'POST', headers, body: content(FILE_BYTES) });
  return url;
}

async function measureDownloads(who: string, url: string, headers: Record<string, string>): Promise<string[]> {
  const whole = await medianRate(async () => getRate(FILE_BYTES, await timed(() => download(url, headers))));
  const ranges = await medianRate(async () => getRate(RANGES, await timed(() => downloadRanges(url, headers))));
  return [who, 'download, 20 ranges at once', `${whole}, ${ranges}`];
}

async function measureNginx(program: string): Promise<string[]> {
  const port = await findPort();
  await writeFile(path.join(folder, 'file'), Buffer.concat([...content(FILE_BYTES)]));
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `user ${userInfo().username}; daemon off; pid ${folder}/pid; error_log stderr; worker_processes auto; events {}
http { access_log off; sendfile on; server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  );
  const nginx = spawn(program, ['-c', path.join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
  try {
    return await measureDownloads('nginx', await waitFor(`http://127.0.0.1:${port}/file`), {});
  } finally {
    await stop(nginx);
  }
}

async function measureParts(into: Subject): Promise<string> {
  return medianRate(async () => {
    const name = `${await newFolder(subject)}/1_${'b'.repeat(32)}.webm`;
    return getRate(FILE_BYTES, await timed(() => sendInParts(into, name, FILE_BYTES)));
  });
}

async function measureTus(installed: string): Promise<string> {
  const port = await findPort();
  const script = `
    import { Server } from '@tus/server';
    import { FileStore } from '@tus/file-store';
    new Server({ path: '/storage/v1/upload/resumable', datastore: new FileStore({ directory: ${JSON.stringify(folder)} }) })
      .listen({ host: '127.0.0.1', port: ${port} });`;
  const tus = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: installed, stdio: 'inherit' });
  try {
    await waitFor(`http://127.0.0.1:${port}/`);
    return await measureParts({ ...subject, url: `http://127.0.0.1:${port}` });
  } finally {
    await stop(tus);
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Until something answers there. */
async function waitFor(url: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
    if (answered) return url;
    await sleep(50);
  }
  throw new Error(`nothing answers at ${url}`);
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null) await once(child, 'exit');
}

async function medianRate(measure: () => Promise<number>): Promise<string> {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run += 1) rates.push(await measure());
  return Math.round(median(rates)).toString();
}
