import { jwtVerify, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { onEachStore, type User } from '#tests/support/storage.ts';

onEachStore((stage) => {
  let user: User;
  let path: string;
  const files = (): ReturnType<User['client']['storage']['from']> => user.client.storage.from('private');
  const base = (): string => `${stage().server.url}/storage/v1`;
  const forge = (
    claims: Record<string, unknown>,
    seconds = 60,
    secret = stage().server.backend.keys.serverSecret,
  ): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
      .sign(secret);

  beforeAll(async () => {
    user = await stage().user();
    path = `${user.id}/sub folder/a.txt`;
    await files().upload(path, 'signed', { contentType: 'text/plain' });
  });

  test('POST /object/sign: the URL needs no credential, names its end, may name the file (contract §3.2)', async () => {
    const { data, error } = await files().createSignedUrl(path, 60);
    expect(error).toBeNull();
    const answer = await fetch(data?.signedUrl ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, 'signed']);
    const end = new Date(answer.headers.get('expires') ?? '').getTime();
    expect(end).toBeGreaterThan(Date.now());
    expect(end).toBeLessThanOrEqual(Date.now() + 60_000);
    const named = await files().createSignedUrl(path, 60, { download: 'b.txt' });
    expect((await fetch(named.data?.signedUrl ?? '')).headers.get('content-disposition')).toContain('filename=b.txt');
    expect((await fetch(data?.signedUrl ?? '', { method: 'HEAD' })).headers.get('content-length')).toBe('6');
    expect((await fetch(data?.signedUrl ?? '', { headers: { range: 'bytes=0-1' } })).status).toBe(206);
  });

  test('The claims of a download token are url, scope, iat, exp (contract §3.2)', async () => {
    const { data } = await files().createSignedUrl(path, 60);
    const token = new URL(data?.signedUrl ?? '').searchParams.get('token') ?? '';
    const { payload } = await jwtVerify(token, stage().server.backend.keys.serverSecret);
    expect(payload).toEqual({
      url: `private/${path}`,
      scope: 'download',
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  });

  test('Numbers of a body may come as text, as supabase-py sends them (contract §3.1)', async () => {
    const send = (address: string, body: object): Promise<Response> =>
      fetch(`${base()}/object/sign/${address}`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const one = await send(`private/${path}`, { expiresIn: '60' });
    expect([one.status, await one.json()]).toEqual([200, { signedURL: expect.stringContaining('token=') }]);
    const many = await send('private', { expiresIn: '60', paths: [path] });
    expect(await many.json()).toEqual([{ error: null, path, signedURL: expect.stringContaining('token=') }]);
    const refused = await send(`private/${path}`, { expiresIn: '60s' });
    expect(await refused.json()).toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringContaining('body/expiresIn'),
    });
  });

  test('An address ends after a day at the latest, whatever its signer asks for (contract §3.2)', async () => {
    const { data } = await files().createSignedUrl(path, 3_153_600_000);
    const token = new URL(data?.signedUrl ?? '').searchParams.get('token') ?? '';
    const { payload } = await jwtVerify(token, stage().server.backend.keys.serverSecret);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(24 * 60 * 60);
  });

  test('The resumable route takes owner and upsert from the token, not from headers (contract §3.3)', async () => {
    const name = `${user.id}/signed resumable`;
    const { data } = await files().createSignedUploadUrl(name);
    const send = async (content: string): Promise<number> => {
      const metadata = { bucketName: 'private', objectName: name, contentType: 'text/plain' };
      const announced = Object.entries(metadata).map(([key, value]) => `${key} ${btoa(value)}`);
      const answer = await fetch(`${base()}/upload/resumable/sign`, {
        method: 'POST',
        headers: {
          'tus-resumable': '1.0.0',
          'x-signature': data?.token ?? '',
          'x-upsert': 'true',
          'content-type': 'application/offset+octet-stream',
          'upload-length': String(content.length),
          'upload-metadata': announced.join(),
        },
        body: content,
      });
      return answer.status;
    };
    expect([await send('one'), await send('other')]).toEqual([201, 409]);
    expect(await (await files().download(name)).data?.text()).toBe('one');
    const [row] = await stage().sql('select owner_id from storage.objects where name = $1', [name]);
    expect(row).toEqual({ owner_id: user.id });
  });

  test('POST /object/sign of many: an error for each one the caller cannot see (contract §3.2)', async () => {
    const foreign = await stage().user();
    await foreign.client.storage.from('private').upload(`${foreign.id}/x`, 'x');
    const { data } = await files().createSignedUrls([path, `${user.id}/no`, `${foreign.id}/x`], 60);
    expect(data?.map(({ error, path: signed }) => ({ error, path: signed }))).toEqual([
      { error: null, path },
      { error: 'Either the object does not exist or you do not have access to it', path: `${user.id}/no` },
      { error: 'Either the object does not exist or you do not have access to it', path: `${foreign.id}/x` },
    ]);
    expect(data?.map(({ signedURL }) => signedURL === null)).toEqual([false, true, true]);
    expect(await (await fetch(data?.[0]?.signedUrl ?? '')).text()).toBe('signed');
  });

  test.each([50, 51, 100, 1_000])(
    'Answers %i addresses whole and in order, a repeated one like the first',
    async (count) => {
      const asked = Array.from({ length: count }, (_, at) => (at % 3 === 0 ? path : `${user.id}/"ö" ${at}`));
      const { data } = await files().createSignedUrls(asked, 60);
      expect(data?.map((answer) => answer.path)).toEqual(asked);
      expect(data?.filter(({ error }) => error === null)).toHaveLength(Math.ceil(count / 3));
      expect(new Set(data?.map(({ signedURL }) => signedURL)).size).toBe(2);
    },
  );

  test('Only what one sees can be signed, for a sensible time (contract §3.1)', async () => {
    const other = await stage().user();
    expect((await other.client.storage.from('private').createSignedUrl(path, 60)).error).toMatchObject({
      code: 'NoSuchKey',
    });
    expect((await files().createSignedUrl(`${user.id}/no`, 60)).error).toMatchObject({ code: 'NoSuchKey' });
    for (const seconds of [0, -1, 1.5, 1e300, Number.NaN]) {
      expect((await files().createSignedUrl(path, seconds)).error).toMatchObject({ code: 'InvalidRequest' });
    }
    expect((await files().createSignedUrls([], 60)).error).toMatchObject({ code: 'InvalidRequest' });
  });

  test.each([
    ['an upload token', () => forge({ url: `private/${path}`, scope: 'upload', upsert: false }), 'InvalidSignature'],
    ['a token of another path', () => forge({ url: 'private/other', scope: 'download' }), 'InvalidSignature'],
    ['a token without scope', () => forge({ url: `private/${path}` }), 'InvalidSignature'],
    ['an expired token', () => forge({ url: `private/${path}`, scope: 'download' }, -1), 'InvalidJWT'],
    [
      'a foreign signature',
      () => forge({ url: `private/${path}`, scope: 'download' }, 60, Buffer.alloc(32)),
      'InvalidJWT',
    ],
    [
      'an unsigned token',
      async () => `eyJhbGciOiJub25lIn0.${Buffer.from('{"url":"x"}').toString('base64url')}.`,
      'InvalidJWT',
    ],
    ['an access token', async () => user.token, 'InvalidJWT'],
    ['nonsense', async () => 'x', 'InvalidJWT'],
  ])('Download with %s is refused (contract §3.1)', async (_what, token, code) => {
    const answer = await fetch(`${base()}/object/sign/private/${path}?token=${await token()}`);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ code, error: code, statusCode: '400' }),
    ]);
  });

  test('Download without a token is refused (contract §3.1)', async () => {
    expect(await (await fetch(`${base()}/object/sign/private/${path}`)).json()).toMatchObject({
      code: 'InvalidRequest',
    });
  });

  test('POST /object/upload/sign → PUT: uploads without authorization, once, for the signer (contract §3.2)', async () => {
    const name = `${user.id}/by token`;
    const { data } = await files().createSignedUploadUrl(name);
    const anonymous = stage().server.client().storage.from('private');
    const file = new Blob(['one'], { type: 'text/plain' });
    const done = await anonymous.uploadToSignedUrl(name, data?.token ?? '', file);
    expect(done).toMatchObject({ error: null, data: { path: name, fullPath: `private/${name}` } });
    expect(await (await files().download(name)).data?.text()).toBe('one');
    const [row] = await stage().sql('select owner_id from storage.objects where name = $1', [name]);
    expect(row).toEqual({ owner_id: user.id });
    const again = await anonymous.uploadToSignedUrl(name, data?.token ?? '', 'two', { upsert: true });
    expect(again.error).toMatchObject({ code: 'KeyAlreadyExists' });
    const raw = await fetch(data?.signedUrl.replace('by%20token', 'other') ?? '', { method: 'PUT', body: 'x' });
    expect(await raw.json()).toMatchObject({ code: 'InvalidSignature' });
  });

  test('A token signed with upsert replaces (contract §3.2)', async () => {
    const name = `${user.id}/replaced`;
    await files().upload(name, 'old');
    const { data } = await files().createSignedUploadUrl(name, { upsert: true });
    expect(await (await fetch(data?.signedUrl ?? '', { method: 'PUT', body: 'new' })).json()).toEqual({
      Key: `private/${name}`,
      Id: expect.any(String),
    });
    expect(await (await files().download(name)).data?.text()).toBe('new');
  });

  test('The claims of an upload token; it lives 60 s (contract §3.2)', async () => {
    const { data } = await files().createSignedUploadUrl(`${user.id}/claims`);
    const { payload } = await jwtVerify(data?.token ?? '', stage().server.backend.keys.serverSecret);
    expect(payload).toMatchObject({ url: `private/${user.id}/claims`, scope: 'upload', upsert: false, owner: user.id });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  });

  test('Signs no upload without permission; a download token uploads nothing (contract §3.1)', async () => {
    const refused = await files().createSignedUploadUrl('foreign/a');
    expect(refused.error).toMatchObject({ code: 'AccessDenied' });
    expect((await files().createSignedUploadUrl(path)).error).toMatchObject({ code: 'KeyAlreadyExists' });
    const token = await forge({ url: `private/${user.id}/d`, scope: 'download' });
    const answer = await fetch(`${base()}/object/upload/sign/private/${user.id}/d?token=${token}`, {
      method: 'PUT',
      body: 'x',
    });
    expect(await answer.json()).toMatchObject({ code: 'InvalidSignature' });
    const expired = await forge({ url: `private/${user.id}/d`, scope: 'upload', upsert: true }, -1);
    const late = await fetch(`${base()}/object/upload/sign/private/${user.id}/d?token=${expired}`, {
      method: 'PUT',
      body: 'x',
    });
    expect(await late.json()).toMatchObject({ code: 'InvalidJWT' });
  });
});
