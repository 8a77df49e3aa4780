import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { SupabaseClient } from '@supabase/supabase-js';
import { onEachStore, PNG, type User } from '#tests/support/storage.ts';

type Files = ReturnType<SupabaseClient['storage']['from']>;

/** Every way to reach an object, and what it says to somebody without rights. */
const VERBS: readonly (readonly [
  string,
  (files: Files, path: string) => Promise<{ error: unknown; data: unknown }>,
])[] = [
  ['upload', (files, path) => files.upload(`${path}.new`, 'x')],
  ['overwrite', (files, path) => files.upload(path, 'x', { upsert: true })],
  ['update', (files, path) => files.update(path, 'x')],
  ['download', (files, path) => Promise.resolve(files.download(path))],
  ['info', (files, path) => files.info(path)],
  ['sign', (files, path) => files.createSignedUrl(path, 60)],
  ['sign upload', (files, path) => files.createSignedUploadUrl(`${path}.new`)],
  ['move away', (files, path) => files.move(path, 'mine/x')],
  ['copy away', (files, path) => files.copy(path, 'mine/x')],
];

onEachStore((stage) => {
  let owner: User;
  let path: string;
  const key = randomUUID();

  beforeAll(async () => {
    owner = await stage().user();
    path = `${owner.id}/secret`;
    await owner.client.storage.from('private').upload(path, 'secret');
  });

  const strangers = async (): Promise<Record<string, SupabaseClient>> => ({
    anon: stage().server.client(),
    'anon with a key': stage().server.client({ headers: { 'x-interview-key': key } }),
    'another user': (await stage().user()).client,
  });

  test.each(VERBS)('threat 1: row-level security refuses %s to strangers', async (_verb, act) => {
    const count = (await stage().files()).length;
    for (const [who, client] of Object.entries(await strangers())) {
      const { data, error } = await act(client.storage.from('private'), path);
      expect({ who, data, error }).toMatchObject({ who, data: null, error: { status: 400 } });
    }
    expect(await stage().files()).toHaveLength(count);
    expect(await (await owner.client.storage.from('private').download(path)).data?.text()).toBe('secret');
  });

  test('threat 1: lists and removals of strangers are empty', async () => {
    for (const client of Object.values(await strangers())) {
      expect((await client.storage.from('private').list(owner.id)).data).toEqual([]);
      expect((await client.storage.from('private').listV2({ prefix: owner.id })).data?.objects).toEqual([]);
      expect((await client.storage.from('private').remove([path])).data).toEqual([]);
      expect((await client.storage.from('private').createSignedUrls([path], 60)).data?.[0]?.signedURL).toBeNull();
    }
    expect((await owner.client.storage.from('private').exists(path)).data).toBe(true);
  });

  test('A refused upload is AccessDenied in upstream’s words (contract §3.1)', async () => {
    const { error } = await stage().server.client().storage.from('private').upload('foreign/a', 'a');
    expect(error).toMatchObject({
      status: 400,
      statusCode: '403',
      code: 'AccessDenied',
      message: 'new row violates row-level security policy',
    });
  });

  test('Policies read the headers: the key opens its folder, for every call (D9)', async () => {
    const files = stage()
      .server.client({ headers: { 'x-interview-key': key } })
      .storage.from('private');
    expect((await files.upload(`${key}/a`, 'a')).error).toBeNull();
    expect((await files.upload(`${key}/a`, 'b', { upsert: true })).error).toBeNull();
    expect(await (await files.download(`${key}/a`)).data?.text()).toBe('b');
    expect((await files.list(key)).data).toHaveLength(1);
    expect((await files.move(`${key}/a`, `${key}/b`)).error).toBeNull();
    expect((await files.copy(`${key}/b`, `${key}/c`)).error).toBeNull();
    expect((await files.createSignedUrl(`${key}/b`, 60)).error).toBeNull();
    expect((await files.remove([`${key}/b`, `${key}/c`])).data).toHaveLength(2);
    const [row] = await stage().sql(
      `select count(*)::int as n from storage.objects where owner_id is not null and name like $1`,
      [`${key}%`],
    );
    expect(row).toEqual({ n: 0 });
  });

  test('insert without select: a drop box takes, shows nothing and is not overwritten', async () => {
    const anonymous = stage().server.client().storage.from('private');
    expect((await anonymous.upload('dropbox/a', 'first')).error).toBeNull();
    expect((await anonymous.upload('dropbox/a', 'second')).error).toMatchObject({ code: 'KeyAlreadyExists' });
    expect((await anonymous.upload('dropbox/a', 'second', { upsert: true })).error).toMatchObject({
      code: 'AccessDenied',
    });
    expect((await anonymous.download('dropbox/a')).error).not.toBeNull();
    expect(await (await stage().service.storage.from('private').download('dropbox/a')).data?.text()).toBe('first');
  });

  test('a public bucket is read by all and written by those a policy names', async () => {
    expect((await owner.client.storage.from('public').upload('a', 'a')).error).toMatchObject({ code: 'AccessDenied' });
    expect((await stage().service.storage.from('public').upload('a', 'a')).error).toBeNull();
    expect((await stage().server.client().storage.from('public').download('a')).error).toBeNull();
  });

  test('Policies see the operation (contract §3.4)', async () => {
    const files = owner.client.storage.from('private');
    expect((await files.upload('byoperation/a', 'a')).error).toBeNull();
    expect((await files.copy(path, 'byoperation/b')).error).toMatchObject({ code: 'AccessDenied' });
    expect((await files.update('byoperation/c', 'c')).error).toMatchObject({ code: 'AccessDenied' });
  });

  test('Policies see type and length before the bytes (contract §3.2)', async () => {
    const files = owner.client.storage.from('private');
    expect((await files.upload('bymetadata/a', PNG, { contentType: 'image/png' })).error).toBeNull();
    expect((await files.upload('bymetadata/b', PNG, { contentType: 'image/gif' })).error).toMatchObject({
      code: 'AccessDenied',
    });
    expect((await files.upload('bymetadata/c', Buffer.alloc(100), { contentType: 'image/png' })).error).toMatchObject({
      code: 'AccessDenied',
    });
  });

  test('Without any credential every call but the open downloads is InvalidRequest (contract §3.1)', async () => {
    const base = `${stage().server.url}/storage/v1`;
    const calls: [string, string][] = [
      ['GET', 'bucket'],
      ['GET', 'bucket/private'],
      ['POST', 'bucket'],
      ['PUT', 'bucket/private'],
      ['DELETE', 'bucket/private'],
      ['POST', 'bucket/private/empty'],
      ['POST', 'object/list/private'],
      ['POST', 'object/list-v2/private'],
      ['POST', 'object/private/a'],
      ['PUT', 'object/private/a'],
      ['DELETE', 'object/private/a'],
      ['DELETE', 'object/private'],
      ['POST', 'object/sign/private/a'],
      ['POST', 'object/sign/private'],
      ['POST', 'object/upload/sign/private/a'],
      ['POST', 'object/move'],
      ['POST', 'object/copy'],
      ['GET', 'object/authenticated/private/a'],
    ];
    for (const [method, call] of calls) {
      const answer = await fetch(`${base}/${call}`, { method });
      expect([method, call, answer.status, await answer.json()]).toEqual([
        method,
        call,
        400,
        expect.objectContaining({ code: 'InvalidRequest', statusCode: '400' }),
      ]);
    }
  });
});
