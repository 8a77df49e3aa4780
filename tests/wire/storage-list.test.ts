import { beforeAll, expect, test } from 'vitest';
import { onEachStore, type User } from '#tests/support/storage.ts';

onEachStore((stage) => {
  let user: User;
  const files = (): ReturnType<User['client']['storage']['from']> => user.client.storage.from('private');
  const names = async (
    folder: string,
    options?: Parameters<ReturnType<typeof files>['list']>[1],
  ): Promise<string[]> => {
    const { data, error } = await files().list(folder, options);
    if (error) throw error;
    return data.map(({ name }) => name);
  };

  beforeAll(async () => {
    user = await stage().user();
    for (const name of ['b.txt', 'A.txt', 'c/1.txt', 'c/2.txt', 'c/deep/3.txt', 'd_e.txt', 'dxe.txt', '100%.txt']) {
      const path = `${user.id}/${name}`;
      // '%' is no letter of a key: such a row can only come from elsewhere, and must be found all the same.
      if (name.includes('%'))
        await stage().sql(`insert into storage.objects (bucket_id, name) values ('private', $1)`, [path]);
      else await files().upload(path, name, { contentType: 'text/plain' });
    }
    const other = await stage().user();
    await other.client.storage.from('private').upload(`${other.id}/z.txt`, 'z');
  });

  test('POST /object/list: files and folders of one level, names relative (contract §3.2)', async () => {
    expect(await names(user.id)).toEqual(['100%.txt', 'A.txt', 'b.txt', 'c', 'd_e.txt', 'dxe.txt']);
    expect(await names(`${user.id}/`)).toHaveLength(6);
    expect(await names(`${user.id}/c`)).toEqual(['1.txt', '2.txt', 'deep']);
    expect(await names(`${user.id}/c/deep`)).toEqual(['3.txt']);
    expect(await names('')).toEqual([user.id]);
  });

  test('An entry of a file has all fields, one of a folder only its name (contract §3.2)', async () => {
    const { data } = await files().list(user.id, { search: 'b.' });
    expect(data).toEqual([
      {
        name: 'b.txt',
        id: expect.any(String),
        updated_at: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
        last_accessed_at: expect.stringMatching(/Z$/),
        metadata: {
          eTag: expect.stringMatching(/^"[\da-f]{32}"$/),
          size: 5,
          mimetype: 'text/plain',
          cacheControl: 'max-age=3600',
          lastModified: expect.stringMatching(/Z$/),
          contentLength: 5,
          httpStatusCode: 200,
        },
      },
    ]);
    expect((await files().list(user.id, { search: 'c' })).data).toEqual([
      { name: 'c', id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null },
    ]);
  });

  test('POST /object/list honours limit, offset and order (contract §3.2)', async () => {
    expect(await names(user.id, { limit: 2, offset: 1 })).toEqual(['A.txt', 'b.txt']);
    expect(await names(user.id, { limit: 2, sortBy: { column: 'name', order: 'desc' } })).toEqual([
      'dxe.txt',
      'd_e.txt',
    ]);
    // prettier-ignore
    expect(await names(user.id, { sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
      'c', 'b.txt', 'A.txt', 'd_e.txt', 'dxe.txt', '100%.txt',
    ]);
  });

  test('Wildcards in a search are letters; upper and lower case are not told apart (contract §3.2)', async () => {
    expect(await names(user.id, { search: 'd_e' })).toEqual(['d_e.txt']);
    expect(await names(user.id, { search: '%' })).toEqual([]);
    expect(await names(user.id, { search: '100%' })).toEqual(['100%.txt']);
    expect(await names(user.id, { search: 'a.T' })).toEqual(['A.txt']);
    expect(await names(user.id, { search: '\\' })).toEqual([]);
    expect(await names(user.id, { search: 'c/1' })).toEqual(['c/1.txt']);
    expect(await names('%')).toEqual([]);
  });

  test('A hidden or missing bucket and other people’s folders are empty lists (contract §3.2)', async () => {
    const other = await stage().user();
    expect((await other.client.storage.from('private').list(user.id)).data).toEqual([]);
    expect((await other.client.storage.from('nowhere').list()).data).toEqual([]);
    expect((await stage().server.client().storage.from('private').list()).data).toEqual([]);
  });

  test.each([
    [{ limit: 0 }],
    [{ limit: 1.5 }],
    [{ offset: -1 }],
    [{ limit: 'ten' }],
    [{ prefix: undefined }],
    [{ sortBy: { column: 'metadata; drop table storage.objects' } }],
    [{ sortBy: { order: 'sideways' } }],
  ])('A list call with %j is InvalidRequest (contract §3.1)', async (change) => {
    const answer = await fetch(`${stage().server.url}/storage/v1/object/list/private`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ prefix: '', ...change }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { statusCode: '400', error: 'Error', code: 'InvalidRequest', message: expect.stringContaining('body/') },
    ]);
  });

  test.each([
    ['no JSON', '{', 'application/json'],
    ['a NUL', '{"prefix":"a\\u0000"}', 'application/json'],
    ['a NUL in the search', '{"prefix":"","search":"a\\u0000"}', 'application/json'],
    ['another content type', '{"prefix":""}', 'text/plain'],
    ['a prototype', '{"prefix":"","__proto__":{"limit":1}}', 'application/json'],
    ['a body over the limit', JSON.stringify({ prefix: 'x'.repeat(2_000_000) }), 'application/json'],
  ])(
    'A list call with %s is refused or empty, never an error of ours (contract §3.1)',
    async (_what, body, contentType) => {
      const answer = await fetch(`${stage().server.url}/storage/v1/object/list/private`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': contentType },
        body,
      });
      expect(answer.status).toBeLessThan(500);
    },
  );

  test('POST /object/list-v2 lists flat by prefix, with whole names (contract §3.2)', async () => {
    const { data } = await files().listV2({ prefix: `${user.id}/c` });
    expect(data).toMatchObject({ hasNext: false, folders: [] });
    expect(data?.objects.map(({ name }) => name.slice(user.id.length))).toEqual([
      '/c/1.txt',
      '/c/2.txt',
      '/c/deep/3.txt',
    ]);
    expect(data?.objects[0]).toEqual({
      name: `${user.id}/c/1.txt`,
      key: `${user.id}/c/1.txt`,
      id: expect.any(String),
      updated_at: expect.any(String),
      created_at: expect.any(String),
      last_accessed_at: expect.any(String),
      metadata: expect.objectContaining({ size: 7 }),
    });
  });

  test('POST /object/list-v2 with delimiter splits folders and objects (contract §3.2)', async () => {
    const { data } = await files().listV2({ prefix: `${user.id}/c/`, with_delimiter: true });
    expect(data?.folders).toEqual([{ name: `${user.id}/c/deep/`, key: 'deep' }]);
    expect(data?.objects.map(({ name }) => name.slice(-5))).toEqual(['1.txt', '2.txt']);
    expect((await files().listV2({ with_delimiter: true })).data?.folders).toEqual([
      { name: `${user.id}/`, key: user.id },
    ]);
  });

  test.each([
    [{ with_delimiter: true }],
    [{ with_delimiter: false }],
    [{ with_delimiter: true, sortBy: { column: 'name', order: 'desc' } }],
    [{ with_delimiter: true, sortBy: { column: 'created_at', order: 'asc' } }],
    [{ with_delimiter: false, sortBy: { column: 'updated_at', order: 'desc' } }],
  ] as const)('POST /object/list-v2 %j: pages of one join to the whole (contract §3.2)', async (options) => {
    const prefix = `${user.id}/`;
    const whole = await files().listV2({ prefix, ...options });
    const expected = [...(whole.data?.folders ?? []), ...(whole.data?.objects ?? [])].map(({ name }) => name);
    const collected: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, error } = await files().listV2({
        prefix,
        ...options,
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (error) throw error;
      collected.push(...[...data.folders, ...data.objects].map(({ name }) => name));
      cursor = data.nextCursor;
      // The client's types do not know this member.
      const key = 'nextCursorKey' in data ? data.nextCursorKey : undefined;
      expect(key).toBe(data.hasNext ? collected.at(-1)?.replace(/\/$/, '') : undefined);
      expect(data.hasNext).toBe(cursor !== undefined);
    } while (cursor !== undefined && collected.length < 20);
    expect(collected.toSorted()).toEqual(expected.toSorted());
    expect(collected.length).toBe(options.with_delimiter ? 6 : 8);
  });

  test('POST /object/list-v2 by time: a folder is as old as its first file (contract §3.2)', async () => {
    const { service, sql } = stage();
    await service.storage.createBucket('by-time', { public: false });
    const box = service.storage.from('by-time');
    for (const name of ['b/1', 'c.txt', 'a/1', 'b/2', 'd/1']) await box.upload(name, 'x');
    await sql(`update storage.objects set updated_at = now() where bucket_id = 'by-time'`);
    const sortBy = { column: 'created_at', order: 'desc' } as const;
    const { data: newest } = await box.listV2({ with_delimiter: true, limit: 2, sortBy });
    expect(newest?.folders.map(({ name }) => name)).toEqual(['d/', 'a/']);
    const { data: older } = await box.listV2({ with_delimiter: true, cursor: newest?.nextCursor ?? '' });
    expect([older?.objects[0]?.name, older?.folders[0]?.name]).toEqual(['c.txt', 'b/']);
    const { data } = await box.listV2({ with_delimiter: true, sortBy: { column: 'updated_at', order: 'asc' } });
    expect(data?.folders.map(({ name }) => name)).toEqual(['b/', 'a/', 'd/']);
  });

  test('A made-up cursor is InvalidRequest; a prefix that no key can have is empty (contract §3.1)', async () => {
    for (const cursor of ['x', Buffer.from('{"name":1}').toString('base64url')]) {
      expect((await files().listV2({ cursor })).error).toMatchObject({ code: 'InvalidRequest' });
    }
    expect((await files().listV2({ prefix: 'ü' })).data).toEqual({ hasNext: false, folders: [], objects: [] });
    expect((await files().listV2({ prefix: '%' })).data).toMatchObject({ objects: [] });
  });
});
