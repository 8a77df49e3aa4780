import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { S3Location } from '../stores/object-store.ts';
import { openS3Store } from '../stores/s3.ts';
import { openS3PartialUploads } from './s3-partial-uploads.ts';

const BEGUN = 'ab/ab000000-0000-4000-8000-000000000000';
const ENDED = 'cd/cd000000-0000-4000-8000-000000000000';

const FORGOTTEN = 'ef/ef000000-0000-4000-8000-000000000000';
const DAY_MS = 24 * 60 * 60_000;

/** What the first page lists besides, with its age. */
let older: Readonly<Record<string, number>> = {};

/** Lists two pages. The upload of the second one begins after the first one, in which its note would be, was read. */
function answer({ method, url = '' }: IncomingMessage): Readonly<{ status: number; body: string }> {
  if (method === 'HEAD') return { status: url.includes(`${BEGUN}.info`) ? 200 : 404, body: '' };
  if (method === 'GET' && url.includes('.info')) return { status: 200, body: '{"size":1,"offset":0}' };
  const isList = url.includes('list-type=2');
  if (method !== 'GET' || !isList) return { status: 200, body: '<Answer/>' };
  const keys = [BEGUN, ENDED].map((id) => `<Contents><Key>${id}.part</Key></Contents>`).join('');
  const first = Object.entries(older).map(
    ([key, ms]) =>
      `<Contents><Key>${key}</Key><LastModified>${new Date(Date.now() - ms).toISOString()}</LastModified></Contents>`,
  );
  const page = url.includes('continuation-token')
    ? keys
    : `<NextContinuationToken>2</NextContinuationToken>${first.join('')}`;
  return { status: 200, body: `<ListBucketResult>${page}</ListBucketResult>` };
}

const deleted: string[] = [];
const read: string[] = [];
const server = createServer((request, response) => {
  if (request.method === 'GET') read.push(new URL(request.url ?? '', 'http://x').pathname);
  if (request.method === 'DELETE') deleted.push(new URL(request.url ?? '', 'http://x').pathname);
  const { status, body } = answer(request);
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' }).end(body);
});
let location: S3Location;
beforeEach(async () => {
  deleted.length = 0;
  read.length = 0;
  older = {};
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = { accessKeyId: 'id', secretAccessKey: 'secret' };
  location = { kind: 's3', endpoint, region: 'eu-central-1', bucket: 'files', forcePathStyle: true, ...key };
});
afterEach(() => void server.close());

test('Keeps the part of an upload that begins while parts without a note are looked for', async () => {
  const store = openS3Store(location);
  await openS3PartialUploads(location, store).removeExpired();
  await store.close();
  expect(deleted).toEqual([`/files/${ENDED}.part`]);
});

test('Removes note and part of an upload that the bucket has dropped itself, after a day', async () => {
  older = { [`${FORGOTTEN}.info`]: DAY_MS + 1_000, [`${FORGOTTEN}.part`]: DAY_MS, [`${BEGUN}.info`]: DAY_MS - 60_000 };
  const store = openS3Store(location);
  await openS3PartialUploads(location, store).removeExpired();
  await store.close();
  expect(deleted).toEqual([`/files/${FORGOTTEN}.info`, `/files/${FORGOTTEN}.part`, `/files/${ENDED}.part`]);
});

test('Leaves what else is kept in the bucket, whatever its ending', async () => {
  const others = ['backup/main/backup.info', 'backup.part', `${FORGOTTEN}.info.info`, `copies/${FORGOTTEN}.part`];
  older = Object.fromEntries(others.map((key) => [key, 2 * DAY_MS]));
  const store = openS3Store(location);
  await openS3PartialUploads(location, store).removeExpired();
  await store.close();
  expect(deleted).toEqual([`/files/${ENDED}.part`]);
});

test('Removes pieces that a killed server left in the folder of temporary files, and nothing else', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-pieces-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    return rm(folder, { recursive: true });
  });
  const others = ['systemd-pr-1', 'Kq3-x_9ZaB-1.txt', 'tus-s3-incomplete-part-'];
  const young = 'aK3-x_9ZaB-2';
  for (const name of ['Kq3-x_9ZaB-0', 'tus-s3-incomplete-part-Kq3-x_9ZaB', ...others, young]) {
    await writeFile(path.join(folder, name), 'x');
    const age = name === young ? DAY_MS - 60_000 : DAY_MS + 60_000;
    await utimes(path.join(folder, name), new Date(), new Date(Date.now() - age));
  }
  await mkdir(path.join(folder, 'Zz3-x_9ZaB-0'));
  await utimes(path.join(folder, 'Zz3-x_9ZaB-0'), new Date(), new Date(0));
  const store = openS3Store(location);
  await openS3PartialUploads(location, store).removeExpired();
  await store.close();
  expect((await readdir(folder)).toSorted()).toEqual([...others, young, 'Zz3-x_9ZaB-0'].toSorted());
});

test('Keeps the notes of the latest uploads alone in memory, and reads an older one again', async () => {
  const store = openS3Store(location);
  const { datastore } = openS3PartialUploads(location, store);
  const look = (id: string) => datastore.getUpload(id).catch(() => undefined);
  const countReads = (id: string) => read.filter((path) => path === `/files/${id}.info`).length;
  await look('ab/0');
  // One after the other: on a busy machine some of 256 at once get no answer in time.
  for (let index = 0; index < 256; index += 1) await look(`cd/${index}`);
  await look('cd/255');
  await look('ab/0');
  await store.close();
  expect([countReads('cd/255'), countReads('ab/0')]).toEqual([1, 2]);
});
