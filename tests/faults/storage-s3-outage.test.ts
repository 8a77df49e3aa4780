import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startGateProxy } from '#tests/support/gate-proxy.ts';
import { startS3, type S3Server } from '#tests/support/s3.ts';
import { bytes, openStage, sha256 } from '#tests/support/storage.ts';

let s3: S3Server;
let server: TestServer;
beforeAll(async () => {
  s3 = await startS3();
  server = await bootServer(s3.env);
});
afterAll(() => server.stop());

test('faults: the object store is gone: health says so, calls are 503, the database part goes on', async () => {
  const files = server.service().storage.from('Media');
  expect((await files.upload('1/a', 'a')).error).toBeNull();
  await s3.stop();
  expect((await fetch(`${server.url}/health`)).status).toBe(503);
  const status = await fetch(`${server.url}/storage/v1/status`);
  expect([status.status, await status.json()]).toMatchObject([503, { code: 'StoreUnavailable' }]);
  expect((await files.upload('1/b', 'b')).error).toMatchObject({ status: 503, code: 'StoreUnavailable' });
  const download = await fetch(`${server.url}/storage/v1/object/Media/1/a`, {
    headers: { apikey: server.backend.keys.secretKey },
  });
  expect(download.status).toBe(503);
  expect(download.headers.get('etag')).toBeNull();
  expect((await files.list('1')).data?.map(({ name }) => name)).toEqual(['a']);
  // Taken out of the database now, out of the store when it is back.
  expect((await files.remove(['1/a'])).data).toHaveLength(1);
});

test('faults: the store fails when it has every part of an upload: the next request completes it (contract §3.3)', async () => {
  const behind = await startS3();
  const gate = await startGateProxy(behind.env['S3_ENDPOINT'] ?? '');
  const stage = await openStage('disk', { ...behind.env, S3_ENDPOINT: gate.url });
  try {
    const user = await stage.user();
    const [name, content] = [`${user.id}/film.bin`, bytes(5_000)];
    const tus = { ...user.headers, 'tus-resumable': '1.0.0' };
    const announced = [`bucketName ${btoa('private')}`, `objectName ${btoa(name)}`].join();
    const made = await fetch(`${stage.server.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: { ...tus, 'upload-length': String(content.length), 'upload-metadata': announced },
    });
    const url = made.headers.get('location') ?? '';
    const part = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    gate.decide((method, asked) => (method === 'POST' && asked.includes('uploadId=') ? 'cut' : 'pass'));
    const failed = await fetch(url, { method: 'PATCH', headers: part, body: content });
    expect([failed.status, await failed.text()]).toEqual([503, 'The store of the files does not answer']);
    gate.decide(() => 'pass');
    const asked = await fetch(url, { method: 'HEAD', headers: tus });
    expect([asked.status, asked.headers.get('upload-offset')]).toEqual([200, String(content.length)]);
    const { data } = await user.client.storage.from('private').download(name);
    expect(sha256(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(sha256(content));
  } finally {
    await stage.close();
    await gate.stop();
    await behind.stop();
  }
});
