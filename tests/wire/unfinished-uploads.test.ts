import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { releaseExpired } from '#backend/storage/resumable/reservations.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { beginAsGuest } from '#tests/support/guest.ts';

const KIB = 1024;

let server: TestServer;
let key: string;
let client: SupabaseClient;
let contribution: number;

beforeAll(async () => {
  server = await bootServer({
    UPLOAD_QUOTA_FILES: '4',
    UPLOAD_QUOTA_BYTES: String(90 * KIB),
    UPLOAD_QUOTA_NETWORK_FILES: '8',
    UPLOAD_QUOTA_NETWORK_BYTES: String(150 * KIB),
  });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await asOwner(server.databaseUrl, (owner) =>
    owner.query('delete from private.upload_volumes; delete from _backend.partial_uploads'),
  );
  const folder = path.join(server.dataDir, 'files', 'resumable');
  for (const file of await readdir(folder)) await rm(path.join(folder, file));
  await begin();
});

/** Another guest's contribution. */
async function begin(): Promise<void> {
  ({ key, client, contribution } = await beginAsGuest(server));
}

/** Uploads a text at once. */
async function store(name: string, size = 1): Promise<string> {
  const options = { contentType: 'text/plain' };
  const { error } = await client.storage.from('Media').upload(`${contribution}/${name}`, 'x'.repeat(size), options);
  return error === null ? 'stored' : String('code' in error ? error.code : error.message);
}

/** The same in two requests; the status of the last. */
async function storeResumable(name: string, size: number): Promise<number> {
  const { status, url } = await beginResumable(name, size);
  return status === 201 ? (await sendPart(url, 0, 'x'.repeat(size))).status : status;
}

function tusHeaders(): Record<string, string> {
  return { 'tus-resumable': '1.0.0', 'x-interview-key': key, apikey: server.backend.keys.publishableKey };
}

/** Announces a resumable upload and sends nothing of it; `size` is undefined where it is announced later. */
async function beginResumable(name: string, size: number | undefined, type = 'text/plain') {
  const metadata = { bucketName: 'Media', objectName: `${contribution}/${name}`, contentType: type };
  const pairs = Object.entries(metadata).map(([field, value]) => `${field} ${btoa(value)}`);
  const length = size === undefined ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) };
  const answer = await fetch(`${server.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: { ...tusHeaders(), ...length, 'upload-metadata': pairs.join(',') },
  });
  return { status: answer.status, url: answer.headers.get('location') ?? '' };
}

function sendPart(url: string, offset: number, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
  return fetch(url, { method: 'PATCH', headers: { ...tusHeaders(), ...headers }, body });
}

/** The bytes of unfinished uploads that lie on the disk. */
async function partialFiles(): Promise<string[]> {
  const files = await readdir(path.join(server.dataDir, 'files', 'resumable'));
  return files.filter((file) => !file.endsWith('.json'));
}

function countEach(values: readonly number[]): Record<string, number> {
  return Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]));
}

test('Uploads that never end count as what they announced (decision 0162)', async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, (_, at) => beginResumable(`${at}.txt`, KIB)));
  expect(countEach(begun.map(({ status }) => status))).toEqual({ 201: 4, 413: 4 });
  expect(await store('plain.txt')).toBe('QuotaExceeded');
  const last = begun.find(({ status }) => status === 201);
  expect((await sendPart(last?.url ?? '', 0, 'x'.repeat(KIB - 1))).status).toBe(204);
  expect((await sendPart(last?.url ?? '', KIB - 1, 'x')).status).toBe(204);
  expect(await store('plain.txt')).toBe('QuotaExceeded');
});

test('Bytes that unfinished uploads announce count, whatever has arrived (decision 0162)', async () => {
  expect((await beginResumable('a.txt', 40 * KIB)).status).toBe(201);
  expect((await beginResumable('b.txt', 40 * KIB)).status).toBe(201);
  expect((await beginResumable('c.txt', 11 * KIB)).status).toBe(413);
  expect(await store('c.txt', 11 * KIB)).toBe('QuotaExceeded');
  expect(await store('c.txt', 10 * KIB)).toBe('stored');
});

test('An upload of unknown size counts as the largest there may be (decision 0162)', async () => {
  expect((await beginResumable('a.txt', undefined)).status).toBe(413);
});

test('An upload that its client ends, or that is complete, is not counted twice (decision 0162)', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { status, url } = await beginResumable(`${round}.txt`, KIB);
    expect(status).toBe(201);
    expect((await fetch(url, { method: 'DELETE', headers: tusHeaders() })).status).toBe(204);
  }
  for (const name of ['a', 'b', 'c', 'd']) expect(await storeResumable(`${name}.txt`, 1)).toBe(204);
  expect((await beginResumable('e.txt', 1)).status).toBe(413);
  expect(await partialFiles()).toEqual([]);
});

test('Content that is refused at its end is removed and counts no more (decision 0162)', async () => {
  const archive = 'PK\u0003\u0004'.padEnd(100, 'x');
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const { url } = await beginResumable(`${name}.png`, archive.length, 'image/png');
    expect((await sendPart(url, 0, archive)).status).toBe(415);
  }
  await expect.poll(partialFiles).toEqual([]);
  expect((await beginResumable('f.txt', 90 * KIB)).status).toBe(201);
});

test('A client that begins again is not refused for its own earlier attempts (decision 0162)', async () => {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const { status, url } = await beginResumable('a.txt', 40 * KIB);
    expect(status).toBe(201);
    expect((await sendPart(url, 0, 'x'.repeat(30 * KIB))).status).toBe(204);
  }
  // The quota has room for two of them.
  expect((await partialFiles()).length).toBeLessThanOrEqual(2);
  expect(await storeResumable('a.txt', 40 * KIB)).toBe(204);
});

test('Unfinished uploads of a network count over all contributions (decision 0162)', async () => {
  for (let contributions = 0; contributions < 2; contributions += 1) {
    for (const name of ['a', 'b', 'c', 'd']) expect((await beginResumable(`${name}.txt`, 1)).status).toBe(201);
    await begin();
  }
  expect((await beginResumable('a.txt', 1)).status).toBe(413);
  expect(await store('a.txt')).toBe('QuotaExceeded');
});

test('Of an unfinished upload nothing is counted once it has expired (decision 0162)', async () => {
  for (const name of ['a', 'b', 'c', 'd']) expect((await beginResumable(`${name}.txt`, 1)).status).toBe(201);
  await asOwner(server.databaseUrl, (owner) =>
    owner.query(`update _backend.partial_uploads set created_at = now() - interval '24 hours 59 minutes'`),
  );
  await releaseExpired(server.backend);
  expect((await beginResumable('e.txt', 1)).status).toBe(413);
  await asOwner(server.databaseUrl, (owner) =>
    owner.query(`update _backend.partial_uploads set created_at = now() - interval '25 hours 1 minute'`),
  );
  await releaseExpired(server.backend);
  expect((await beginResumable('e.txt', 1)).status).toBe(201);
});

test('Erasing a contribution takes the notes of its unfinished uploads along (decision 0162)', async () => {
  await beginResumable('a.txt', 1);
  await server.backend.removeTraces('Media', `${contribution}/`);
  const rows = await asOwner(server.databaseUrl, (owner) =>
    owner.query('select name from _backend.partial_uploads where starts_with(name, $1)', [`${contribution}/`]),
  );
  expect(rows.rows).toEqual([]);
});
