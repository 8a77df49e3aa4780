import { StorageApiError } from '@supabase/supabase-js';
import { beforeEach, expect, test } from 'vitest';
import { onEachStore, type User } from '#tests/support/storage.ts';

onEachStore((stage) => {
  let user: User;
  const files = (bucket = 'private'): ReturnType<User['client']['storage']['from']> => user.client.storage.from(bucket);
  const text = async (path: string): Promise<string | undefined> => (await files().download(path)).data?.text();
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${stage().server.url}/storage/v1/object/${path}`, {
      method,
      headers: { ...user.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  beforeEach(async () => {
    user = await stage().user();
    await files().upload(`${user.id}/a`, 'A', { contentType: 'text/plain', metadata: { who: 'me' } });
    await files().upload(`${user.id}/b`, 'B');
  });

  test('DELETE /object/{bucket} answers the removed rows, ignores unknown names, removes the bytes (contract §3.2)', async () => {
    const count = (await stage().files()).length;
    const { data, error } = await files().remove([`${user.id}/a`, `${user.id}/none`, user.id]);
    expect(error).toBeNull();
    expect(data).toEqual([
      expect.objectContaining({
        name: `${user.id}/a`,
        bucket_id: 'private',
        owner_id: user.id,
        id: expect.any(String),
      }),
    ]);
    expect(await stage().files()).toHaveLength(count - 1);
    expect(await text(`${user.id}/b`)).toBe('B');
    expect((await files().download(`${user.id}/a`)).error).not.toBeNull();
  });

  test('DELETE /object/{bucket}/{path} removes one object (contract §3.2)', async () => {
    const answer = await send('DELETE', `private/${user.id}/a`);
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'Successfully deleted' }]);
    const again = await send('DELETE', `private/${user.id}/a`);
    expect([again.status, await again.json()]).toEqual([400, expect.objectContaining({ code: 'NoSuchKey' })]);
  });

  test('At most 1,000 names at once, at least one (contract §3.2)', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `${user.id}/${index}`);
    expect((await files().remove(many)).error).toMatchObject({ code: 'InvalidRequest' });
    expect((await files().remove([])).error).toMatchObject({ code: 'InvalidRequest' });
    expect((await files().remove([...many.slice(2), `${user.id}/b`])).data).toHaveLength(1);
  });

  test('a row deleted in SQL takes its bytes along at the next call', async () => {
    const count = (await stage().files()).length;
    await stage().sql('delete from storage.objects where name = $1', [`${user.id}/a`]);
    await files().remove([`${user.id}/b`]);
    expect(await stage().files()).toHaveLength(count - 2);
    expect(await stage().sql('select * from _backend.unclaimed_files')).toEqual([]);
  });

  test('POST /object/move renames, keeps id and content (contract §3.2)', async () => {
    const before = await files().info(`${user.id}/a`);
    const { data, error } = await files().move(`${user.id}/a`, `${user.id}/moved/a`);
    expect([data, error]).toEqual([{ message: 'Successfully moved' }, null]);
    expect(await text(`${user.id}/moved/a`)).toBe('A');
    expect((await files().info(`${user.id}/moved/a`)).data?.id).toBe(before.data?.id);
    expect((await files().download(`${user.id}/a`)).error).not.toBeNull();
  });

  test('Move: refuses existing targets, missing sources, bad keys, foreign folders, no bucket (contract §3.1)', async () => {
    const move = async (from: string, to: string, destinationBucket?: string): Promise<string | undefined> => {
      const options = destinationBucket === undefined ? {} : { destinationBucket };
      return getCode((await files().move(from, to, options)).error);
    };
    expect(await move(`${user.id}/a`, `${user.id}/b`)).toBe('KeyAlreadyExists');
    expect(await move(`${user.id}/none`, `${user.id}/c`)).toBe('NoSuchKey');
    expect(await move(`${user.id}/a`, `${user.id}/ü`)).toBe('InvalidKey');
    expect(await move(`${user.id}/a`, 'foreign/a')).toBe('AccessDenied');
    expect(await move(`${user.id}/a`, `${user.id}/a`, 'nowhere')).toBe('NoSuchBucket');
    expect(await move(`${user.id}/a`, `${user.id}/a`, 'public')).toBe('AccessDenied');
    expect([await text(`${user.id}/a`), await text(`${user.id}/b`)]).toEqual(['A', 'B']);
  });

  test('POST /object/copy makes a second object with its own bytes (contract §3.2)', async () => {
    const count = (await stage().files()).length;
    const { data, error } = await files().copy(`${user.id}/a`, `${user.id}/copy`);
    expect([data, error]).toEqual([{ path: `private/${user.id}/copy` }, null]);
    expect(await stage().files()).toHaveLength(count + 1);
    await files().remove([`${user.id}/a`]);
    expect(await text(`${user.id}/copy`)).toBe('A');
    const { data: info } = await files().info(`${user.id}/copy`);
    expect(info).toMatchObject({ contentType: 'text/plain', metadata: { who: 'me' }, size: 1 });
  });

  test('POST /object/copy takes new metadata from x-metadata where it copies none (contract §3.2)', async () => {
    const copy = (destinationKey: string, copyMetadata: boolean) =>
      fetch(`${stage().server.url}/storage/v1/object/copy`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json', 'x-metadata': btoa('{"who":"other"}') },
        body: JSON.stringify({ bucketId: 'private', sourceKey: `${user.id}/a`, destinationKey, copyMetadata }),
      });
    await copy(`${user.id}/new metadata`, false);
    await copy(`${user.id}/old metadata`, true);
    expect((await files().info(`${user.id}/new metadata`)).data?.metadata).toEqual({ who: 'other' });
    expect((await files().info(`${user.id}/old metadata`)).data?.metadata).toEqual({ who: 'me' });
  });

  test('POST /object/copy answers Key, Id and the row; metadata can be new (contract §3.2)', async () => {
    const answer = await send('POST', 'copy', {
      bucketId: 'private',
      sourceKey: `${user.id}/a`,
      destinationKey: `${user.id}/other`,
      copyMetadata: false,
      metadata: { cacheControl: 'max-age=1', mimetype: 'text/markdown' },
    });
    const row = await answer.json();
    expect(row).toMatchObject({
      Key: `private/${user.id}/other`,
      Id: expect.any(String),
      name: `${user.id}/other`,
      owner_id: user.id,
    });
    const { data } = await files().info(`${user.id}/other`);
    expect(data).toMatchObject({ contentType: 'text/markdown', cacheControl: 'max-age=1', metadata: {} });
  });

  test('Copy: existing targets need x-upsert, refuses missing sources and forbidden targets (contract §3.1)', async () => {
    const copy = async (from: string, to: string, destinationBucket?: string): Promise<string | undefined> => {
      const options = destinationBucket === undefined ? {} : { destinationBucket };
      return getCode((await files().copy(from, to, options)).error);
    };
    const count = (await stage().files()).length;
    expect(await copy(`${user.id}/a`, `${user.id}/b`)).toBe('KeyAlreadyExists');
    expect(await copy(`${user.id}/none`, `${user.id}/c`)).toBe('NoSuchKey');
    expect(await copy(`${user.id}/a`, 'foreign/a')).toBe('AccessDenied');
    expect(await copy(`${user.id}/a`, `${user.id}/a`, 'public')).toBe('AccessDenied');
    expect(await copy(`${user.id}/a`, `${user.id}/ü`)).toBe('InvalidKey');
    expect(await copy(`${user.id}/a`, `${user.id}/a`, 'images')).toBe('InvalidMimeType');
    expect(await stage().files()).toHaveLength(count);
    const upsert = await fetch(`${stage().server.url}/storage/v1/object/copy`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json', 'x-upsert': 'true' },
      body: JSON.stringify({ bucketId: 'private', sourceKey: `${user.id}/a`, destinationKey: `${user.id}/b` }),
    });
    expect(upsert.status).toBe(200);
    expect(await text(`${user.id}/b`)).toBe('A');
    expect(await stage().files()).toHaveLength(count);
  });

  test('the rules of a bucket hold for what is moved or copied into it', async () => {
    const service = stage().service.storage.from('private');
    await service.upload(`${user.id}/big.png`, Buffer.alloc(2_000), { contentType: 'image/x-any' });
    for (const way of ['copy', 'move'] as const) {
      const big = await service[way](`${user.id}/big.png`, 'big.png', { destinationBucket: 'images' });
      expect(big.error).toMatchObject({ code: 'EntityTooLarge' });
      const typed = await service[way](`${user.id}/a`, 'a', { destinationBucket: 'images' });
      expect(typed.error).toMatchObject({ code: 'InvalidMimeType' });
      const fine = await service[way](`${user.id}/a`, `${user.id}/${way}`, { destinationBucket: 'public' });
      expect(fine.error).toBeNull();
    }
  });
});

function getCode(error: unknown): string | undefined {
  return error instanceof StorageApiError ? error.code : undefined;
}
