import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { bytes, MEBIBYTE, onEachStore, PNG, sha256, signFor, type User } from '#tests/support/storage.ts';

onEachStore((stage) => {
  let user: User;
  let path: string;
  const text = 'Zehn kleine Zeichen';
  const etag = `"${createHash('md5').update(text).digest('hex')}"`;
  const url = (rest: string): string => `${stage().server.url}/storage/v1/object/${rest}`;
  const get = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(url(`private/${path}`), { method, headers: { ...user.headers, ...headers } });

  beforeAll(async () => {
    user = await stage().user();
    path = `${user.id}/text.txt`;
    await user.client.storage.from('private').upload(path, text, { contentType: 'text/plain', cacheControl: '3600' });
    await stage().service.storage.from('public').upload('bild.png', PNG, { contentType: 'image/png' });
  });

  test('GET /object answers the bytes with all headers (contract §3.2)', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(text);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': String(text.length),
      etag,
      'cache-control': 'max-age=3600',
      'accept-ranges': 'bytes',
      'x-robots-tag': 'none',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(new Date(answer.headers.get('last-modified') ?? '').getTime()).toBeLessThanOrEqual(Date.now());
  });

  test('GET /object/authenticated does the same and needs a token (contract §3.2)', async () => {
    const address = url(`authenticated/private/${path}`);
    expect(await (await fetch(address, { headers: user.headers })).text()).toBe(text);
    const without = await fetch(address);
    expect([without.status, await without.json()]).toEqual([
      400,
      {
        statusCode: '400',
        error: 'Error',
        code: 'InvalidRequest',
        message: "headers must have required property 'authorization'",
      },
    ]);
  });

  test('HEAD answers the same headers without bytes, also for parts (contract §3.2)', async () => {
    for (const place of [`private/${path}`, `authenticated/private/${path}`]) {
      const answer = await fetch(url(place), { method: 'HEAD', headers: user.headers });
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '19', '']);
    }
    const missing = await fetch(url(`private/${user.id}/nothing`), { method: 'HEAD', headers: user.headers });
    expect(missing.status).toBe(400);
  });

  test.each([
    ['bytes=0-3', 'Zehn', 'bytes 0-3/19'],
    ['bytes=5-', 'kleine Zeichen', 'bytes 5-18/19'],
    ['bytes=-7', 'Zeichen', 'bytes 12-18/19'],
    ['bytes=-700', text, 'bytes 0-18/19'],
    ['bytes=12-999', 'Zeichen', 'bytes 12-18/19'],
    ['bytes=18-18', 'n', 'bytes 18-18/19'],
  ])('Range %s answers 206 %j (contract §3.2)', async (range, part, contentRange) => {
    const answer = await get({ range });
    expect([answer.status, await answer.text()]).toEqual([206, part]);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(part.length));
  });

  test.each(['bytes=19-', 'bytes=100-200', 'bytes=-0'])('Range %s is 416 (contract §3.1)', async (range) => {
    const answer = await get({ range });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */19');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toMatchObject({ statusCode: '416', code: 'InvalidRange' });
  });

  test.each(['bytes=3-1', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=-'])(
    'RFC 9110 Range %s is passed over',
    async (range) => {
      const answer = await get({ range });
      expect([answer.status, await answer.text()]).toEqual([200, text]);
    },
  );

  test('RFC 9110 If-Range: the part only of the same version', async () => {
    expect((await get({ range: 'bytes=0-3', 'if-range': etag })).status).toBe(206);
    expect((await get({ range: 'bytes=0-3', 'if-range': '"other"' })).status).toBe(200);
    const modified = (await get()).headers.get('last-modified') ?? '';
    expect((await get({ range: 'bytes=0-3', 'if-range': modified })).status).toBe(206);
  });

  test('If-None-Match and If-Modified-Since answer 304 (contract §3.2)', async () => {
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get({ 'if-none-match': known });
      expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get({ 'if-none-match': '"x"' })).status).toBe(200);
    const modified = (await get()).headers.get('last-modified') ?? '';
    expect((await get({ 'if-modified-since': modified })).status).toBe(304);
    expect((await get({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
    expect((await get({ 'if-modified-since': modified, 'if-none-match': '"x"' })).status).toBe(200);
  });

  test('GET and HEAD /object/public: anyone, only public buckets, download names (contract §3.2)', async () => {
    const { data } = stage().server.client().storage.from('public').getPublicUrl('bild.png');
    const answer = await fetch(data.publicUrl);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      'image/png',
      null,
    ]);
    expect((await fetch(data.publicUrl, { method: 'HEAD' })).headers.get('content-length')).toBe(String(PNG.length));
    const { storage } = stage().server.client();
    const named = storage.from('public').getPublicUrl('bild.png', { download: 'Müll "1".png' });
    const name = encodeURIComponent('Müll "1".png');
    expect((await fetch(named.data.publicUrl)).headers.get('content-disposition')).toBe(
      `attachment; filename=${name}; filename*=UTF-8''${name}`,
    );
    expect((await fetch(`${data.publicUrl}?download=`)).headers.get('content-disposition')).toBe('attachment;');
    const hidden = await fetch(url(`public/private/${path}`));
    expect([hidden.status, await hidden.json()]).toEqual([400, expect.objectContaining({ code: 'NoSuchBucket' })]);
    expect(await (await fetch(url('public/public/nothing'))).json()).toMatchObject({ code: 'NoSuchKey' });
  });

  test('GET /object of a public bucket needs no token, of a private one it does (contract §3.2)', async () => {
    expect((await fetch(url('public/bild.png'))).status).toBe(200);
    expect((await fetch(url('public/bild.png'), { headers: { authorization: 'Bearer not.a.token' } })).status).toBe(
      200,
    );
    expect(await (await fetch(url(`private/${path}`))).json()).toMatchObject({ code: 'NoSuchBucket' });
  });

  test('Answers missing objects and buckets with their codes (contract §3.1)', async () => {
    const { storage } = user.client;
    expect((await storage.from('private').download(`${user.id}/nothing`)).error).toMatchObject({ status: 400 });
    const key = await fetch(url(`private/${user.id}/nothing`), { headers: user.headers });
    expect(await key.json()).toEqual({
      statusCode: '404',
      error: 'not_found',
      message: 'Object not found',
      code: 'NoSuchKey',
    });
    const bucket = await fetch(url(`nowhere/nothing`), { headers: user.headers });
    expect(await bucket.json()).toMatchObject({ code: 'NoSuchBucket' });
  });

  test.each([
    ['malformed', async () => 'nonsense', 'Invalid Compact JWS'],
    [
      'expired',
      () => signFor(stage().server, { sub: user.id, exp: 1_000_000_000 }),
      '"exp" claim timestamp check failed',
    ],
    ['forged', async () => `${user.token.slice(0, -8)}AAAAAAAA`, 'signature verification failed'],
  ])('A %s token is AccessDenied (contract §3.1)', async (_kind, token, message) => {
    const answer = await fetch(url(`authenticated/private/${path}`), {
      headers: { authorization: `Bearer ${await token()}` },
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { statusCode: '403', error: 'Unauthorized', code: 'AccessDenied', message },
    ]);
  });

  test('a token of a role that nobody may take is AccessDenied, not an error of ours', async () => {
    for (const role of ['postgres', 'no_such_role', 'authenticator']) {
      const token = await signFor(stage().server, { sub: user.id, role });
      const answer = await fetch(url(`authenticated/private/${path}`), {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await answer.json()).toMatchObject({
        code: role === 'authenticator' ? expect.any(String) : 'AccessDenied',
      });
      expect(answer.status).toBe(400);
    }
  });

  test('Caches on the way keep nothing of a private bucket, whatever its uploader says (contract §3.2)', async () => {
    const name = `${user.id}/cached.txt`;
    const store = (bucket: string, file: string, headers: Record<string, string>) =>
      fetch(`${stage().server.url}/storage/v1/object/${bucket}/${file}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/plain', 'cache-control': 'public, max-age=60, s-maxage=90' },
        body: 'x',
      });
    await store('private', name, user.headers);
    const answer = await fetch(url(`private/${name}`), { headers: user.headers });
    expect(answer.headers.get('cache-control')).toBe('private, max-age=60');
    const { secretKey } = stage().server.backend.keys;
    await store('public', 'cached.txt', { apikey: secretKey, authorization: `Bearer ${secretKey}` });
    const open = await fetch(url('public/public/cached.txt'));
    expect(open.headers.get('cache-control')).toBe('public, max-age=60, s-maxage=90');
  });

  test('GET /object/info answers what is known, exists() uses it (contract §3.2)', async () => {
    const { data } = await user.client.storage.from('private').info(path);
    expect(data).toEqual({
      id: expect.any(String),
      name: path,
      version: expect.stringMatching(/^[\da-f-]{36}$/),
      bucketId: 'private',
      size: 19,
      contentType: 'text/plain',
      cacheControl: 'max-age=3600',
      etag,
      metadata: {},
      lastModified: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/Z$/),
    });
    const head = await fetch(url(`info/private/${path}`), { method: 'HEAD', headers: user.headers });
    expect([head.status, head.headers.get('etag'), head.headers.get('cache-control')]).toEqual([200, etag, 'no-cache']);
    expect((await user.client.storage.from('private').exists(path)).data).toBe(true);
    expect((await user.client.storage.from('private').exists(`${user.id}/no`)).data).toBe(false);
    const other = await stage().user();
    expect((await other.client.storage.from('private').exists(path)).data).toBe(false);
    expect(await (await fetch(url('info/public/public/bild.png'))).json()).toMatchObject({ content_type: 'image/png' });
    expect(await (await fetch(url(`info/public/private/${path}`))).json()).toMatchObject({ code: 'NoSuchBucket' });
  });

  test('GET /object/info answers null for a row that has no metadata of its own (contract §3.2)', async () => {
    const name = `${user.id}/made in SQL`;
    const sql = `insert into storage.objects (bucket_id, name, version, metadata) values ('private', $1, $2, $3)`;
    await stage().sql(sql, [name, randomUUID(), { size: 3, mimetype: 'text/plain' }]);
    expect((await user.client.storage.from('private').info(name)).data?.metadata).toBeNull();
    const stored = 'select user_metadata from storage.objects where name = $1';
    expect(await stage().sql(stored, [path])).toEqual([{ user_metadata: {} }]);
  });

  test('a large file comes back whole and in parts', async () => {
    const content = bytes(17 * MEBIBYTE + 3, 5);
    await user.client.storage.from('private').upload(`${user.id}/large`, new Blob([content]));
    const { data } = await user.client.storage.from('private').download(`${user.id}/large`);
    expect(sha256(new Uint8Array((await data?.arrayBuffer()) ?? []))).toBe(sha256(content));
    const part = await fetch(url(`private/${user.id}/large`), {
      headers: { ...user.headers, range: 'bytes=9000000-17000000' },
    });
    expect(sha256(new Uint8Array(await part.arrayBuffer()))).toBe(sha256(content.subarray(9_000_000, 17_000_001)));
  });

  test('a row whose bytes are gone is NoSuchKey, with none of the headers of the file', async () => {
    const version = '00000000-0000-4000-8000-000000000000';
    for (const lost of [version, '../../../etc/passwd', null]) {
      await stage().sql(
        `insert into storage.objects (bucket_id, name, version, metadata) values ('private', $1, $2, $3)
        on conflict (bucket_id, name) do update set version = excluded.version`,
        [`${user.id}/lost`, lost, { size: 3, mimetype: 'text/plain' }],
      );
      const answer = await fetch(url(`private/${user.id}/lost`), { headers: user.headers });
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'NoSuchKey' })]);
      expect(answer.headers.get('etag')).toBeNull();
    }
  });
});
