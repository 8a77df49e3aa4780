import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { bytes, MEBIBYTE, onEachStore, PNG, sha256 } from '#tests/support/storage.ts';

onEachStore((stage) => {
  const url = (path: string): string => `${stage().server.url}/storage/v1/object/${path}`;

  test('POST /object takes a form with an empty field name, type, cache time and metadata (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    const path = `${id}/bild.png`;
    const file = new File([PNG], 'anders.png', { type: 'image/png' });
    const { data, error } = await client.storage.from('private').upload(path, file, {
      cacheControl: '3600',
      metadata: { who: 'Jörg', n: 1 },
    });
    expect(error).toBeNull();
    expect(data).toEqual({ path, id: expect.stringMatching(/^[\da-f-]{36}$/), fullPath: `private/${path}` });
    const info = await client.storage.from('private').info(path);
    expect(info.data).toMatchObject({
      id: data?.id,
      name: path,
      bucketId: 'private',
      size: PNG.length,
      contentType: 'image/png',
      cacheControl: 'max-age=3600',
      metadata: { who: 'Jörg', n: 1 },
    });
  });

  test.each([
    ['string', 'Grüße', 'text/plain;charset=UTF-8'],
    ['ArrayBuffer', new TextEncoder().encode('Grüße').buffer, 'text/plain'],
    ['Buffer', Buffer.from('Grüße'), 'text/markdown'],
  ])(
    'POST /object takes a %s as raw body with type, cache time and metadata in headers (contract §3.2)',
    async (_kind, body, contentType) => {
      const { id, client } = await stage().user();
      const path = `${id}/text`;
      const options = { contentType, cacheControl: '60', metadata: { was: 'ü' } };
      expect((await client.storage.from('private').upload(path, body, options)).error).toBeNull();
      const { data } = await client.storage.from('private').info(path);
      expect(data).toMatchObject({ contentType, cacheControl: 'max-age=60', metadata: { was: 'ü' }, size: 7 });
      expect(await (await client.storage.from('private').download(path)).data?.text()).toBe('Grüße');
    },
  );

  test('POST /object takes a stream of unknown length (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    const content = bytes(9 * MEBIBYTE + 17);
    const parts = Array.from({ length: 10 }, (_, part) => content.subarray(part * MEBIBYTE, (part + 1) * MEBIBYTE));
    const { error } = await client.storage
      .from('private')
      .upload(`${id}/s`, Readable.toWeb(Readable.from(parts)) as ReadableStream, {
        contentType: 'video/x-unknown',
      });
    expect(error).toBeNull();
    const { data } = await client.storage.from('private').download(`${id}/s`);
    expect(sha256(new Uint8Array((await data?.arrayBuffer()) ?? []))).toBe(sha256(content));
  });

  test('Without a type and a cache time: octet-stream and no-cache (contract §3.2)', async () => {
    const { id, headers, client } = await stage().user();
    const answer = await fetch(url(`private/${id}/plain`), { method: 'POST', headers, body: new Uint8Array([1, 2]) });
    expect(await answer.json()).toEqual({ Key: `private/${id}/plain`, Id: expect.any(String) });
    const { data } = await client.storage.from('private').info(`${id}/plain`);
    expect(data).toMatchObject({ contentType: 'application/octet-stream', cacheControl: 'no-cache', metadata: {} });
  });

  test('An empty file is a file (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    expect((await client.storage.from('private').upload(`${id}/raw`, '')).error).toBeNull();
    expect((await client.storage.from('private').upload(`${id}/form`, new Blob([]))).error).toBeNull();
    for (const name of ['raw', 'form']) {
      expect((await client.storage.from('private').download(`${id}/${name}`)).data?.size).toBe(0);
    }
  });

  test('contentType as a field of the form outranks the type of the part (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    const form = new FormData();
    form.append('contentType', 'audio/webm');
    form.append('cacheControl', '7');
    form.append('upload', new Blob(['x'], { type: 'text/plain' }), 'x.txt');
    expect((await client.storage.from('private').upload(`${id}/typed`, form)).error).toBeNull();
    const { data } = await client.storage.from('private').info(`${id}/typed`);
    expect(data).toMatchObject({ contentType: 'audio/webm', cacheControl: 'max-age=7' });
  });

  test('An existing object is a Duplicate without upsert and keeps its content (contract §3.1)', async () => {
    const { id, client } = await stage().user();
    await client.storage.from('private').upload(`${id}/a`, 'first');
    const count = (await stage().files()).length;
    const { error } = await client.storage.from('private').upload(`${id}/a`, 'second');
    expect(error).toMatchObject({
      status: 400,
      statusCode: '409',
      code: 'KeyAlreadyExists',
      message: 'The resource already exists',
    });
    expect(await (await client.storage.from('private').download(`${id}/a`)).data?.text()).toBe('first');
    expect(await stage().files()).toHaveLength(count);
  });

  test('Upsert and PUT replace the object, keep its id, and leave one file (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    const count = (await stage().files()).length;
    const first = await client.storage.from('private').upload(`${id}/a`, 'first', { upsert: true });
    const second = await client.storage.from('private').upload(`${id}/a`, 'second', { upsert: true });
    expect(second.data?.id).toBe(first.data?.id);
    const third = await client.storage.from('private').update(`${id}/a`, 'third');
    expect(third.data?.id).toBe(first.data?.id);
    expect(await (await client.storage.from('private').download(`${id}/a`)).data?.text()).toBe('third');
    expect(await stage().files()).toHaveLength(count + 1);
  });

  test('PUT of a missing object makes it (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    expect((await client.storage.from('private').update(`${id}/new`, 'new')).error).toBeNull();
    expect(await (await client.storage.from('private').download(`${id}/new`)).data?.text()).toBe('new');
  });

  test('Owner and owner_id are the subject of the token (contract §3.2)', async () => {
    const { id, client } = await stage().user();
    await client.storage.from('private').upload(`${id}/mine`, 'x');
    const [row] = await stage().sql('select owner::text, owner_id from storage.objects where name = $1', [
      `${id}/mine`,
    ]);
    expect(row).toEqual({ owner: id, owner_id: id });
  });

  test('The bucket decides size and type (contract §3.1)', async () => {
    const { service, files } = stage();
    const images = service.storage.from('images');
    const count = (await files()).length;
    expect((await images.upload('a.txt', 'x', { contentType: 'text/plain' })).error).toMatchObject({
      status: 400,
      statusCode: '415',
      code: 'InvalidMimeType',
      message: 'mime type text/plain is not supported',
    });
    expect((await images.upload('a', new Blob(['x'], { type: 'text/html' }))).error).toMatchObject({
      code: 'InvalidMimeType',
    });
    for (const body of [bytes(1025), new Blob([bytes(1025)], { type: 'image/x-any' })]) {
      const { error } = await images.upload('big', body, { contentType: 'image/x-any' });
      expect(error).toMatchObject({
        status: 400,
        statusCode: '413',
        code: 'EntityTooLarge',
        message: 'The object exceeded the maximum allowed size',
      });
    }
    expect(await files()).toHaveLength(count);
    expect((await images.upload('fits', bytes(1024), { contentType: 'image/x-any' })).error).toBeNull();
    expect((await images.upload('p.png', PNG, { contentType: 'image/png' })).error).toBeNull();
    expect((await images.list()).data?.map(({ name }) => name)).toEqual(['fits', 'p.png']);
  });

  test('.emptyFolderPlaceholder is taken whatever types the bucket takes, without bytes (contract §3.2)', async () => {
    const images = stage().service.storage.from('images');
    const name = (folder: string): string => `${folder}/.emptyFolderPlaceholder`;
    expect((await images.upload(name('raw'), '', { contentType: 'text/plain' })).error).toBeNull();
    expect((await images.upload(name('form'), new File([], 'x', { type: 'text/plain' }))).error).toBeNull();
    for (const body of [PNG, new Blob([PNG]), Readable.toWeb(Readable.from([PNG])) as ReadableStream]) {
      const { error } = await images.upload(name('full'), body, { contentType: 'image/png' });
      expect(error).toMatchObject({ status: 400, statusCode: '413', code: 'EntityTooLarge' });
    }
    expect((await images.list('full')).data).toEqual([]);
    await images.remove([name('raw'), name('form')]);
  });

  test('threat 8: what is known to be of a forbidden type is not taken under an allowed name', async () => {
    const zip = Buffer.concat([Buffer.from('504b0304140000000000', 'hex'), Buffer.alloc(60)]);
    const { error } = await stage().service.storage.from('images').upload('zip.png', zip, { contentType: 'image/png' });
    expect(error).toMatchObject({ code: 'InvalidMimeType', message: 'mime type application/zip is not supported' });
  });

  test('The whole service has a limit: config.toml file_size_limit (contract §3.1)', async () => {
    const { service, files } = stage();
    const count = (await files()).length;
    for (const body of [bytes(20 * MEBIBYTE + 1), new Blob([bytes(20 * MEBIBYTE + 1)])]) {
      expect((await service.storage.from('private').upload('big', body)).error).toMatchObject({
        code: 'EntityTooLarge',
      });
    }
    expect(await files()).toHaveLength(count);
    expect((await service.storage.from('private').upload('full', new Blob([bytes(20 * MEBIBYTE)]))).error).toBeNull();
  });

  test('An unknown bucket is NoSuchBucket (contract §3.1)', async () => {
    const { error } = await stage().service.storage.from('nowhere').upload('a', 'a');
    expect(error).toMatchObject({ status: 400, statusCode: '404', code: 'NoSuchBucket' });
  });

  test.each([
    ['no file in the form', () => new FormData()],
    ['a field only', () => form({ cacheControl: '1' })],
    ['metadata that are a list', () => form({ metadata: '[1]' }, 'x')],
    ['metadata with a NUL', () => form({ metadata: '{"a":"\\u0000"}' }, 'x')],
    ['a cache time that is no header', () => form({ cacheControl: '1\r\nx: y' }, 'x')],
    ['a type that is no header', () => form({ contentType: 'text/plain\r\nx: y' }, 'x')],
  ])('A form is refused for %s (contract §3.1)', async (_why, body) => {
    const { id, headers } = await stage().user();
    const count = (await stage().files()).length;
    const answer = await fetch(url(`private/${id}/bad`), { method: 'POST', headers, body: body() });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ statusCode: expect.stringMatching(/^4(00|15)$/) });
    expect(await stage().files()).toHaveLength(count);
  });

  test.each([
    ['without boundary', 'multipart/form-data', 'x'],
    ['that is none', 'multipart/form-data; boundary=b', 'nothing of the kind'],
    [
      'cut short in the file',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\nhalf',
    ],
    ['cut short in a header', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-'],
  ])('A form %s is refused and leaves nothing (contract §3.1)', async (_why, contentType, body) => {
    const { id, headers, client } = await stage().user();
    const count = (await stage().files()).length;
    const answer = await fetch(url(`private/${id}/bad`), {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body,
    });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'InvalidRequest' })]);
    expect(await stage().files()).toHaveLength(count);
    expect((await client.storage.from('private').list(id)).data).toEqual([]);
  });

  test.each([
    ['a header', {}, { headers: { 'x-metadata': 'notbase64json' }, body: 'x' }],
    ['a form', {}, { body: form({ metadata: '{bad' }, 'x') }],
    ['userMetadata of a form', { a: 1 }, { body: form({ userMetadata: '{"a":1}' }, 'x') }],
    ['both members of a form', {}, { body: form({ metadata: '{bad', userMetadata: '{"a":1}' }, 'x') }],
  ])('Metadata in %s are %j, and the file is stored (contract §3.2)', async (_where, metadata, sent) => {
    const { id, headers, client } = await stage().user();
    const init = { method: 'POST', ...sent, headers: { ...headers, ...('headers' in sent ? sent.headers : {}) } };
    expect((await fetch(url(`private/${id}/stored`), init)).status).toBe(200);
    expect((await client.storage.from('private').info(`${id}/stored`)).data).toMatchObject({ metadata });
    const sql = 'select user_metadata from storage.objects where name = $1';
    expect(await stage().sql(sql, [`${id}/stored`])).toEqual([{ user_metadata: metadata }]);
  });

  test('a connection is used again after an upload', async () => {
    const { id, headers } = await stage().user();
    const { Agent } = await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (path: string, body: string): Promise<{ status: number | undefined; reused: boolean }> =>
      new Promise((resolve, reject) => {
        const sending = httpRequest(url(path), { method: 'POST', headers, agent }, (answer) => {
          answer.resume().once('end', () => resolve({ status: answer.statusCode, reused: sending.reusedSocket }));
        });
        sending.once('error', reject).end(body);
      });
    expect(await send(`private/${id}/1`, 'x')).toEqual({ status: 200, reused: false });
    expect(await send(`private/foreign/2`, 'y')).toEqual({ status: 400, reused: true });
    expect(await send(`private/${id}/3`, 'z')).toEqual({ status: 200, reused: true });
    agent.destroy();
  });
});

function form(fields: Record<string, string>, file?: string): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  if (file !== undefined) made.append('', new Blob([file]));
  return made;
}
