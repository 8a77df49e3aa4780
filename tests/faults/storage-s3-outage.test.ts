import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startS3, type S3Server } from '#tests/support/s3.ts';

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
