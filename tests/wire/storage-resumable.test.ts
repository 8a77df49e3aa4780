import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Upload, type UploadOptions } from 'tus-js-client';
import { describe, expect, test, vi } from 'vitest';
import { spawnTestServer } from '#tests/support/resumable-process.ts';
import { bytes, MEBIBYTE, onEachStore, sha256, type Stage, type User } from '#tests/support/storage.ts';

const CHUNK = 6 * MEBIBYTE;
const SIZE = 2 * CHUNK + 12_345;

type Announcement = Readonly<{ name: string; bucket?: string; type?: string; headers?: Record<string, string> }>;

function options(
  stage: Stage,
  user: User,
  { name, bucket = 'private', type = 'video/webm', headers = {} }: Announcement,
): UploadOptions {
  return {
    endpoint: `${stage.server.url}/storage/v1/upload/resumable`,
    headers: { ...user.headers, ...headers },
    metadata: { bucketName: bucket, objectName: name, contentType: type, cacheControl: '3600' },
    chunkSize: CHUNK,
    retryDelays: null,
  };
}

/** Uploads to the end, or until `stopAfter` bytes have been acknowledged. */
function send(content: Buffer, given: UploadOptions, stopAfter = Infinity): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(content, {
      ...given,
      onError: reject,
      onSuccess: () => resolve(upload.url ?? undefined),
      onChunkComplete: (_size, accepted) => {
        if (accepted >= stopAfter) void upload.abort().then(() => resolve(upload.url ?? undefined));
      },
    });
    upload.start();
  });
}

async function refusal(work: Promise<unknown>): Promise<{ status: number; body: string }> {
  const error: unknown = await work.then(
    () => new Error('was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error) || !('originalResponse' in error)) throw error;
  const response = error.originalResponse as { getStatus: () => number; getBody: () => string };
  return { status: response.getStatus(), body: response.getBody() };
}

onEachStore((stage) => {
  test('An upload in parts becomes an object with its content, type and owner (contract §3.3)', async () => {
    const user = await stage().user();
    const content = bytes(SIZE, 3);
    const name = `${user.id}/film.webm`;
    await send(content, options(stage(), user, { name, type: 'application/octet-stream' }));
    const got = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(content));
    const rows = await stage().sql('select owner_id, metadata from storage.objects where name = $1', [name]);
    expect(rows[0]).toMatchObject({ owner_id: user.id, metadata: { size: SIZE, cacheControl: 'max-age=3600' } });
  });

  test('Metadata that are no JSON are ignored; without any, info answers null (contract §3.3)', async () => {
    const user = await stage().user();
    const sent = [
      [{ metadata: '{"a":1}' }, { a: 1 }] as const,
      [{ metadata: '{bad' }, null] as const,
      [{}, null] as const,
    ];
    for (const [index, [own, metadata]] of sent.entries()) {
      const name = `${user.id}/${index}.txt`;
      const given = options(stage(), user, { name, type: 'text/plain' });
      await send(bytes(10), { ...given, metadata: { ...given.metadata, ...own } });
      expect((await user.client.storage.from('private').info(name)).data?.metadata).toEqual(metadata);
    }
  });

  test('Continues an interrupted upload; before its end nothing is visible (contract §3.3)', async () => {
    const user = await stage().user();
    const content = bytes(SIZE, 4);
    const name = `${user.id}/unterbrochen.bin`;
    const given = options(stage(), user, { name, type: 'application/octet-stream' });
    const url = await send(content, given, CHUNK);
    expect((await user.client.storage.from('private').download(name)).error).not.toBeNull();
    const asked = await fetch(url ?? '', { method: 'HEAD', headers: { ...user.headers, 'tus-resumable': '1.0.0' } });
    expect(Number(asked.headers.get('upload-offset'))).toBeGreaterThanOrEqual(CHUNK);
    expect(asked.headers.get('upload-length')).toBe(String(SIZE));
    const shown = { ...given.metadata, cacheControl: 'max-age=3600' };
    const pairs = Object.entries(shown).map(([key, value]) => `${key} ${btoa(value)}`);
    expect(asked.headers.get('upload-metadata')).toBe(pairs.join(','));
    await send(content, { ...given, uploadUrl: url ?? '' });
    const got = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(content));
  });

  test('Keeps what a part brought before its connection broke (contract §3.3)', async () => {
    const user = await stage().user();
    const content = bytes(SIZE, 6);
    const name = `${user.id}/abgerissen.bin`;
    const given = options(stage(), user, { name, type: 'application/octet-stream' });
    const url = (await send(content, given, CHUNK)) ?? '';
    const tus = { ...user.headers, 'tus-resumable': '1.0.0' };
    const headers = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(CHUNK) };
    const sending = request(url, { method: 'PATCH', headers: { ...headers, 'content-length': SIZE - CHUNK } });
    sending.on('error', () => undefined);
    // Less than a write to a file takes at once.
    sending.write(content.subarray(CHUNK, CHUNK + 100_000), () => sending.destroy());
    await vi.waitFor(async () => {
      const asked = await fetch(url, { method: 'HEAD', headers: tus });
      expect(asked.headers.get('upload-offset')).toBe(String(CHUNK + 100_000));
    });
    await send(content, { ...given, uploadUrl: url });
    const got = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(content));
  });

  test('Says again that everything has arrived where the last answer was lost (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/ungehoert.bin`;
    const url = await send(bytes(1000), options(stage(), user, { name, type: 'application/octet-stream' }));
    const asked = await fetch(url ?? '', { method: 'HEAD', headers: { ...user.headers, 'tus-resumable': '1.0.0' } });
    expect([asked.status, asked.headers.get('upload-offset'), asked.headers.get('upload-length')]).toEqual([
      200,
      '1000',
      '1000',
    ]);
  });

  test('An ended upload is an object: it takes no more bytes and no removal (contract §3.3)', async () => {
    const user = await stage().user();
    const content = bytes(CHUNK + 1000, 6);
    const name = `${user.id}/zu-ende.bin`;
    const url = await send(content, options(stage(), user, { name, type: 'application/octet-stream' }));
    const headers = { ...user.headers, 'tus-resumable': '1.0.0' };
    const removed = await fetch(url ?? '', { method: 'DELETE', headers });
    expect([400, 404, 410]).toContain(removed.status);
    const added = await fetch(url ?? '', {
      method: 'PATCH',
      headers: {
        ...headers,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(content.length),
      },
      body: 'mehr',
    });
    expect(added.status).toBeGreaterThanOrEqual(400);
    const got = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(content));
  });

  test('Stores the bytes once; a surplus note never removes those of an object (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/einmal.bin`;
    const before = await stage().files();
    await send(bytes(CHUNK + 1000, 8), options(stage(), user, { name, type: 'application/octet-stream' }));
    const find = async () => (await stage().files()).filter((file) => !before.includes(file));
    // The library's notes go once the last part is answered.
    await vi.waitFor(async () => expect(await find()).toHaveLength(1));
    const added = await find();
    const [row] = await stage().sql('select version from storage.objects where name = $1', [name]);
    expect(added[0]).toContain(row?.['version']);
    await stage().sql('insert into _backend.unclaimed_files values ($1, now())', [row?.['version']]);
    await user.client.storage.from('private').upload(`${user.id}/anderes.bin`, 'x', { upsert: true });
    expect(await stage().sql('select * from _backend.unclaimed_files where version = $1', [row?.['version']])).toEqual(
      [],
    );
    expect(await stage().files()).toContain(added[0]);
  });

  test('An object that exists is replaced only with x-upsert (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/zweimal.bin`;
    const given = { name, type: 'application/octet-stream' };
    await send(bytes(500, 1), options(stage(), user, given));
    expect(await refusal(send(bytes(500, 2), options(stage(), user, given)))).toEqual({
      status: 409,
      body: 'The resource already exists',
    });
    await send(bytes(500, 2), options(stage(), user, { ...given, headers: { 'x-upsert': 'true' } }));
    const got = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(bytes(500, 2)));
  });

  test('Refusals carry the real code and plain words (contract §3.3)', async () => {
    const user = await stage().user();
    const stranger = await stage().user();
    const small = bytes(100);
    const attempt = (announcement: Announcement, who = user) =>
      refusal(send(small, options(stage(), who, announcement)));
    expect(await attempt({ name: `${user.id}/a.bin`, bucket: 'gibt-es-nicht' })).toEqual({
      status: 404,
      body: 'Bucket not found',
    });
    expect(await attempt({ name: `${user.id}/a.bin` }, stranger)).toEqual({
      status: 403,
      body: 'new row violates row-level security policy',
    });
    expect((await attempt({ name: `${user.id}/ü.bin` })).status).toBe(400);
  });

  test('threat 1 nobody else goes on with, asks about or removes an upload', async () => {
    const user = await stage().user();
    const stranger = await stage().user();
    const url = await send(
      bytes(SIZE),
      options(stage(), user, { name: `${user.id}/meins.bin`, type: 'application/octet-stream' }),
      CHUNK,
    );
    const ask = (method: string, headers: Record<string, string>) =>
      fetch(url ?? '', { method, headers: { 'tus-resumable': '1.0.0', ...headers } });
    expect((await ask('HEAD', stranger.headers)).status).toBe(403);
    expect((await ask('DELETE', stranger.headers)).status).toBe(403);
    expect((await ask('HEAD', {})).status).toBe(400);
    expect((await ask('DELETE', user.headers)).status).toBe(204);
    expect([404, 410]).toContain((await ask('HEAD', user.headers)).status);
  });

  test('A wrong offset is a conflict and changes nothing (contract §3.3)', async () => {
    const user = await stage().user();
    const url = await send(
      bytes(SIZE),
      options(stage(), user, { name: `${user.id}/stelle.bin`, type: 'application/octet-stream' }),
      CHUNK,
    );
    const headers = {
      ...user.headers,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '5',
    };
    expect((await fetch(url ?? '', { method: 'PATCH', headers, body: 'abc' })).status).toBe(409);
  });

  test('OPTIONS of a client that is no browser names version and extensions (contract §3.3)', async () => {
    for (const [address, name, value] of [
      ['', 'accept', '*/*'],
      ['/sign', 'tus-resumable', '1.0.0'],
      ['/abc', 'origin', 'https://example.org'],
    ] as const) {
      const url = `${stage().server.url}/storage/v1/upload/resumable${address}`;
      const answer = await fetch(url, { method: 'OPTIONS', headers: { [name]: value } });
      expect([answer.status, answer.headers.get('tus-version')]).toEqual([204, '1.0.0']);
      expect(answer.headers.get('tus-extension')).toContain('creation-with-upload');
      expect(answer.headers.get('tus-max-size')).toBe(String(20 * MEBIBYTE));
    }
  });

  test('OPTIONS of a browser stays a preflight, answered without the route (contract §0)', async () => {
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'PATCH' };
    const url = `${stage().server.url}/storage/v1/upload/resumable`;
    const answer = await fetch(url, { method: 'OPTIONS', headers });
    expect([answer.status, answer.headers.get('tus-version')]).toEqual([204, null]);
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
  });

  test('an address that is none of ours is not found', async () => {
    const user = await stage().user();
    const address = Buffer.from(`files/x/../../etc/passwd/${randomUUID()}`).toString('base64url');
    const headers = { ...user.headers, 'tus-resumable': '1.0.0' };
    for (const last of [address, 'abc', '..%2f..%2fetc']) {
      const answer = await fetch(`${stage().server.url}/storage/v1/upload/resumable/${last}`, {
        method: 'HEAD',
        headers,
      });
      expect([404, 410]).toContain(answer.status);
    }
  });
});

describe('a server that is killed', () => {
  test('security faults: killed with -9 in the middle, the upload goes on after the restart', async () => {
    const first = await spawnTestServer();
    const content = bytes(SIZE, 7);
    const given: UploadOptions = {
      endpoint: `${first.url}/storage/v1/upload/resumable`,
      headers: first.headers,
      metadata: { bucketName: 'Media', objectName: first.objectName, contentType: 'video/webm' },
      chunkSize: CHUNK,
      retryDelays: null,
    };
    const url = await send(content, given, CHUNK);
    // Half a file is for the server's account alone, like everything it writes.
    const written = await readdir(path.join(first.dataDir, 'files'), { recursive: true, withFileTypes: true });
    const modes = written.map((entry) => statSync(path.join(entry.parentPath, entry.name)).mode & 0o077);
    expect(modes.length).toBeGreaterThan(2);
    expect(modes.filter((mode) => mode !== 0)).toEqual([]);
    const second = await first.killAndRestart();
    await send(content, { ...given, uploadUrl: (url ?? '').replace(first.url, second.url), headers: second.headers });
    const got = await fetch(`${second.url}/storage/v1/object/Media/${first.objectName}`, { headers: second.headers });
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(sha256(content));
    await second.stop();
  });
});
