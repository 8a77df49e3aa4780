import { randomBytes } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { setFarFromMidnight } from '#tests/support/far-from-midnight.ts';
import { beginAsGuest } from '#tests/support/guest.ts';
import { PNG } from '#tests/support/storage.ts';

const KIB = 1024;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const EXE = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0', 'latin1'), Buffer.alloc(500)]);

let database: TestDatabase;
let server: TestServer;
let key: string;
let client: SupabaseClient;
let contribution: number;

beforeAll(async () => {
  database = await createDatabase('migrated');
  await setFarFromMidnight(database.url);
  // Counts by the day of the database, not by that in UTC.
  const count = 'private.count_upload(bigint, text, text, bigint, integer)';
  await asOwner(database.url, (owner) => owner.query(`alter function ${count} reset timezone`));
  server = await bootServer({
    DATABASE_URL: database.url,
    LIMIT_VIDEO_BYTES: String(40 * KIB),
    LIMIT_IMAGE_BYTES: String(20 * KIB),
    LIMIT_DOCUMENT_BYTES: String(20 * KIB),
    LIMIT_RECORDING_BYTES: String(10 * KIB),
    UPLOAD_QUOTA_FILES: '4',
    UPLOAD_QUOTA_BYTES: String(90 * KIB),
    UPLOAD_QUOTA_NETWORK_FILES: '8',
    UPLOAD_QUOTA_NETWORK_BYTES: String(150 * KIB),
  });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});
beforeEach(async () => {
  await asOwner(server.databaseUrl, (owner) => owner.query('delete from private.upload_volumes'));
  await begin();
});

/** Another guest's contribution. */
async function begin(): Promise<void> {
  ({ key, client, contribution } = await beginAsGuest(server));
}

async function store(name: string, content: Buffer | string, contentType: string, options = {}): Promise<string> {
  const path = `${contribution}/${name}`;
  const { error } = await client.storage.from('Media').upload(path, content, { contentType, ...options });
  return error === null ? 'stored' : String('code' in error ? error.code : error.message);
}

/** The same in parts; 'stored', or status and text of the refusal. */
function storeResumable(name: string, content: Buffer, contentType: string): Promise<string> {
  return new Promise((resolve) => {
    const upload = new Upload(content, {
      endpoint: `${server.url}/storage/v1/upload/resumable`,
      headers: { 'x-interview-key': key, apikey: server.backend.keys.publishableKey },
      metadata: { bucketName: 'Media', objectName: `${contribution}/${name}`, contentType },
      retryDelays: null,
      onSuccess: () => resolve('stored'),
      onError: (error) => {
        const response = 'originalResponse' in error ? error.originalResponse : null;
        resolve(`${response?.getStatus() ?? 0} ${response?.getBody() ?? error.message}`);
      },
    });
    upload.start();
  });
}

const picture = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
const film = (size: number): Buffer =>
  Buffer.concat([
    Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex'),
    Buffer.alloc(size - 28),
  ]);

test.each([
  ['a picture', 'image/png', picture, 20 * KIB],
  ['a video', 'video/webm', film, 40 * KIB],
  ['a recording', 'audio/webm', film, 10 * KIB],
  ['a document', 'text/plain', (size: number) => Buffer.alloc(size, 'a'), 20 * KIB],
])('The server limits the size of %s by its kind (D19)', async (_kind, type, make, limit) => {
  expect(await store('a.bin', make(limit), type)).toBe('stored');
  expect(await store('b.bin', make(limit + 1), type)).toBe('EntityTooLarge');
  expect(await storeResumable('c.bin', make(limit + 1), type)).toBe('413 Maximum size exceeded');
});

test('A picture that is declared a video may be as large as a picture (D19)', async () => {
  expect(await store('a.bin', picture(20 * KIB + 1), 'video/webm')).toBe('EntityTooLarge');
  expect(await storeResumable('b.bin', picture(20 * KIB + 1), 'video/webm')).toMatch(/^413 /);
});

/** Copies with another declared type; 'stored', or the code of the refusal. */
async function copyAs(name: string, mimetype: string): Promise<string> {
  const names = { sourceKey: `${contribution}/${name}`, destinationKey: `${contribution}/copy` };
  const answer = await fetch(`${server.url}/storage/v1/object/copy`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-interview-key': key,
      'x-upsert': 'true',
      apikey: server.backend.keys.publishableKey,
    },
    body: JSON.stringify({ bucketId: 'Media', ...names, copyMetadata: false, metadata: { mimetype } }),
  });
  const { code } = (await answer.json()) as { code?: string };
  return answer.ok ? 'stored' : String(code);
}

test('Who moves files to a second contribution of theirs fills it no further than its quota (D19)', async () => {
  const { data: second } = await client.from('interviews').insert({ transcript: 'zweiter' }).select('id').single();
  const full = contribution;
  for (const name of ['1', '2', '3', '4']) expect(await store(name, 'x', 'text/plain')).toBe('stored');
  contribution = Number(second?.id);
  expect(await store('5', 'x', 'text/plain')).toBe('stored');
  const box = client.storage.from('Media');
  const { error } = await box.move(`${contribution}/5`, `${full}/5`);
  expect(error).toMatchObject({ code: 'AccessDenied' });
  expect((await box.copy(`${contribution}/5`, `${full}/5`)).error).toMatchObject({ code: 'QuotaExceeded' });
  expect((await box.move(`${full}/4`, `${full}/vier`)).error).toBeNull();
  expect((await box.move(`${full}/vier`, `${contribution}/4`)).error).toBeNull();
});

test('A copy of another type keeps the size and the kind of that type (D19)', async () => {
  await store('a.webm', film(40 * KIB), 'video/webm');
  expect(await copyAs('a.webm', 'image/png')).toBe('EntityTooLarge');
  expect(await copyAs('a.webm', 'audio/webm')).toBe('EntityTooLarge');
  await store('b.txt', 'a text', 'text/plain');
  await store('c.webm', film(10 * KIB), 'video/webm');
  expect(await copyAs('b.txt', 'image/png')).toBe('InvalidMimeType');
  expect(await copyAs('b.txt', 'application/pdf')).toBe('InvalidMimeType');
  expect(await copyAs('c.webm', 'image/png')).toBe('InvalidMimeType');
  expect(await copyAs('b.txt', 'text/plain;charset=utf-8')).toBe('stored');
  expect(await copyAs('c.webm', 'audio/webm')).toBe('stored');
});

test.each([
  ['application/x-msdownload', EXE],
  ['application/octet-stream', EXE],
  ['text/html', '<p>'],
  ['text/javascript', 'alert(1)'],
  ['image/png', EXE],
  ['application/pdf', EXE],
  ['application/msword', EXE],
  [DOCX, EXE],
  ['text/plain', EXE],
])('A type that the application does not offer is refused: %s (§5)', async (type, content) => {
  expect(await store('a.bin', content, type)).toBe('InvalidMimeType');
  expect(await storeResumable('b.bin', Buffer.from(content), type)).toMatch(/^415 mime type .* is not supported$/);
});

test.each([
  ['application/pdf', '%PDF-1.7\n'],
  ['application/msword', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])],
  [DOCX, Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(600)])],
  ['text/plain', 'MZ ist ein Kürzel. GIF89a auch.'],
  ['text/plain;charset=UTF-8', '<?xml version="1.0"?>'],
  ['text/plain', Buffer.from('\uFEFFGrüße', 'utf16le')],
])('What the application offers is taken: %s (§5)', async (type, content) => {
  expect(await store('a.bin', content, type)).toBe('stored');
});

test('One file more than the quota of a contribution is refused, replacing one is not (D9)', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) expect(await store(name, 'x', 'text/plain')).toBe('stored');
  expect(await store('e.txt', 'x', 'text/plain')).toBe('QuotaExceeded');
  expect(await storeResumable('f.txt', Buffer.from('x'), 'text/plain')).toBe('413 The upload quota is used up');
  expect(await store('d.txt', 'y', 'text/plain', { upsert: true })).toBe('stored');
});

test('One byte more than the quota of a contribution is refused (D9)', async () => {
  expect(await store('a.webm', film(40 * KIB), 'video/webm')).toBe('stored');
  expect(await store('b.webm', film(40 * KIB), 'video/webm')).toBe('stored');
  expect(await store('c.png', picture(10 * KIB), 'image/png')).toBe('stored');
  expect(await store('d.txt', 'x', 'text/plain')).toBe('QuotaExceeded');
});

test('Uploads at the same time do not pass the quota together (D9)', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, at) => store(`${at}.txt`, Buffer.alloc(KIB, 'a'), 'text/plain')),
  );
  expect(outcomes.toSorted()).toEqual([...Array<string>(4).fill('QuotaExceeded'), ...Array<string>(4).fill('stored')]);
});

test('A network has a quota of its own over all contributions (D9)', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) await store(name, 'x', 'text/plain');
  await begin();
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) expect(await store(name, 'x', 'text/plain')).toBe('stored');
  await begin();
  expect(await store('a.txt', 'x', 'text/plain')).toBe('QuotaExceeded');
});

test('The address of a caller is not kept (decision 0162)', async () => {
  await store('a.txt', 'x', 'text/plain');
  const { rows } = await asOwner(server.databaseUrl, (owner) => owner.query('select * from private.upload_volumes'));
  expect(rows).toEqual([{ day: expect.any(Date), network_hash: expect.any(Buffer), files: '1', bytes: '1' }]);
});

test('A hosted project without the trigger keeps the quota by its policy (D9)', async () => {
  await asOwner(server.databaseUrl, (owner) =>
    owner.query('alter table storage.objects disable trigger keep_upload_quota'),
  );
  try {
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt'])
      expect(await store(name, 'x', 'text/plain')).toBe('stored');
    expect(await store('e.txt', 'x', 'text/plain')).toBe('AccessDenied');
  } finally {
    await asOwner(server.databaseUrl, (owner) =>
      owner.query('alter table storage.objects enable trigger keep_upload_quota'),
    );
  }
});

test('The service has no quota (decision 0162)', async () => {
  const files = server.service().storage.from('Media');
  for (let at = 0; at < 6; at += 1) {
    const { error } = await files.upload(`${contribution}/${at}.txt`, 'x', { contentType: 'text/plain' });
    expect(error).toBeNull();
  }
});

test('Uploads stop before the disk is full, everything else goes on (threat 10)', async () => {
  const full = await bootServer({ FREE_DISK_BYTES: String(Number.MAX_SAFE_INTEGER), FREE_DISK_PERCENT: '100' });
  try {
    const guest = full.client({ headers: { 'x-interview-key': randomBytes(32).toString('base64url') } });
    const { data, error } = await guest.from('interviews').insert({}).select('id').single<{ id: number }>();
    expect(error).toBeNull();
    const name = `${data?.id ?? 0}/a.txt`;
    const single = await guest.storage.from('Media').upload(name, 'x', { contentType: 'text/plain' });
    expect(single.error).toMatchObject({ statusCode: '507', code: 'InsufficientStorage' });
    const { publishableKey, secretKey } = full.backend.keys;
    const begun = await fetch(`${full.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        apikey: publishableKey,
        authorization: `Bearer ${secretKey}`,
        'upload-length': '1',
        'upload-metadata': `bucketName ${btoa('Media')},objectName ${btoa(name)},contentType ${btoa('text/plain')}`,
      },
    });
    expect(begun.status).toBe(507);
    expect((await guest.storage.from('Media').list(String(data?.id))).error).toBeNull();
    const health = await fetch(`${full.url}/health`);
    expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok', storage: 'full' }]);
  } finally {
    await full.stop();
  }
});
