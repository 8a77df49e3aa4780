import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { asOwner } from '#tests/support/callers.ts';
import { loseNextCommit } from '#tests/support/lost-commit.ts';
import { bytes, onEachStore, sha256, type Stage, type User } from '#tests/support/storage.ts';
import { WAITING } from '#tests/support/held-rows.ts';

const SIZE = 5_000;
const TUS = { 'tus-resumable': '1.0.0' };

onEachStore((stage) => {
  test('A HEAD that finishes an upload says that it is complete (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/kopf.bin`;
    const url = await create(stage(), user, name, SIZE);
    await failWhile(stage(), name, async () => expect((await patch(url, user, bytes(SIZE))).status).toBe(500));
    for (let times = 0; times < 2; times += 1) {
      const asked = await fetch(url, { method: 'HEAD', headers: { ...user.headers, ...TUS } });
      expect([asked.status, asked.headers.get('upload-offset'), asked.headers.get('upload-length')]).toEqual([
        200,
        String(SIZE),
        String(SIZE),
      ]);
    }
    expect(await download(user, name)).toBe(sha256(bytes(SIZE)));
  });

  test('The last PATCH succeeds although the answer to the commit is lost (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/abgerissen.bin`;
    const url = await create(stage(), user, name, SIZE);
    const ended = loseNextCommit(/insert into storage\.objects[^]*returning/);
    const answer = await patch(url, user, bytes(SIZE)).finally(() => expect(ended()).toBe(true));
    expect(answer.status).toBe(204);
    expect(await download(user, name)).toBe(sha256(bytes(SIZE)));
  });

  test('The same upload once more succeeds and stores nothing twice (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/nochmal.bin`;
    await patch(await create(stage(), user, name, SIZE), user, bytes(SIZE));
    const [before] = await stage().sql('select version, updated_at from storage.objects where name = $1', [name]);
    const again = await patch(await create(stage(), user, name, SIZE), user, bytes(SIZE));
    expect([again.status, again.headers.get('upload-offset')]).toEqual([204, String(SIZE)]);
    const [after] = await stage().sql('select version, updated_at from storage.objects where name = $1', [name]);
    expect(after).toEqual(before);
    await vi.waitFor(async () => {
      const versions = (await stage().files()).filter((file) => !file.endsWith('.info'));
      expect(versions.filter((file) => file.includes(String(before?.['version'])))).toHaveLength(1);
      expect(await stage().sql('select * from _backend.unclaimed_files')).toEqual([]);
    });
  });

  test('An upload whose client goes before the last answer leaves nothing but its object', async () => {
    const user = await stage().user();
    const name = `${user.id}/gegangen.bin`;
    const url = await create(stage(), user, name, SIZE);
    await holdWhile(stage(), name, async () => {
      const client = request(url, { method: 'PATCH', headers: partHeaders(user) });
      client.on('error', () => undefined);
      // In chunks, so that the library itself reads them.
      client.write(bytes(SIZE));
      client.end();
      await expect.poll(() => stage().sql(WAITING)).toHaveLength(1);
      client.destroy();
      await expect.poll(() => client.closed).toBe(true);
    });
    await expect.poll(() => download(user, name)).toBe(sha256(bytes(SIZE)));
    const [stored] = await stage().sql('select version from storage.objects where name = $1', [name]);
    const left = async () => (await stage().files()).filter((file) => file.includes(String(stored?.['version'])));
    await expect.poll(left).toHaveLength(1);
  });

  test('Refuses other bytes under an existing name at the end, another size at once (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/anders.bin`;
    await patch(await create(stage(), user, name, SIZE), user, bytes(SIZE));
    const other = await patch(await create(stage(), user, name, SIZE), user, bytes(SIZE, 2));
    expect([other.status, await other.text()]).toEqual([409, 'The resource already exists']);
    expect((await post(stage(), user, name, SIZE + 1)).status).toBe(409);
    expect(await download(user, name)).toBe(sha256(bytes(SIZE)));
  });

  test('A last PATCH whose object is removed while it is compared may be asked again (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/entfernt.bin`;
    await patch(await create(stage(), user, name, SIZE), user, bytes(SIZE));
    const url = await create(stage(), user, name, SIZE);
    // Its bytes are gone, its row is about to go.
    await stage().sql('update storage.objects set version = gen_random_uuid() where name = $1', [name]);
    expect((await patch(url, user, bytes(SIZE))).status).toBe(409);
    await stage().sql('delete from storage.objects where name = $1', [name]);
    const asked = await fetch(url, { method: 'HEAD', headers: { ...user.headers, ...TUS } });
    expect([asked.status, asked.headers.get('upload-offset')]).toEqual([200, String(SIZE)]);
    expect(await download(user, name)).toBe(sha256(bytes(SIZE)));
  });

  test('A POST that brings all its bytes answers 201 with the address (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/auf-einmal.bin`;
    const answer = await post(stage(), user, name, SIZE, bytes(SIZE));
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, String(SIZE)]);
    const asked = await fetch(answer.headers.get('location') ?? '', {
      method: 'HEAD',
      headers: { ...user.headers, ...TUS },
    });
    expect([asked.status, asked.headers.get('upload-offset')]).toEqual([200, String(SIZE)]);
    expect(await download(user, name)).toBe(sha256(bytes(SIZE)));
  });

  test('An upload without a byte is an empty file, and may be downloaded (contract §3.3)', async () => {
    const user = await stage().user();
    const name = `${user.id}/leer.bin`;
    await create(stage(), user, name, 0);
    const { data, error } = await user.client.storage.from('private').download(name);
    expect([error, data?.size]).toEqual([null, 0]);
  });
});

async function create(stage: Stage, user: User, name: string, size: number): Promise<string> {
  const answer = await post(stage, user, name, size);
  expect(answer.status).toBe(201);
  return answer.headers.get('location') ?? '';
}

function post(stage: Stage, user: User, name: string, size: number, body?: Buffer<ArrayBuffer>): Promise<Response> {
  const metadata = { bucketName: 'private', objectName: name, contentType: 'application/octet-stream' };
  const announced = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  const content = body === undefined ? {} : { 'content-type': 'application/offset+octet-stream' };
  return fetch(`${stage.server.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...user.headers,
      ...TUS,
      ...content,
      'upload-length': String(size),
      'upload-metadata': announced.join(),
    },
    ...(body === undefined ? {} : { body }),
  });
}

function patch(url: string, user: User, body: Buffer<ArrayBuffer>): Promise<Response> {
  return fetch(url, { method: 'PATCH', headers: partHeaders(user), body });
}

function partHeaders(user: User): Record<string, string> {
  return { ...user.headers, ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
}

async function download(user: User, name: string): Promise<string> {
  const { data } = await user.client.storage.from('private').download(name);
  return sha256(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)));
}

/** The row of a finished object cannot be written meanwhile; the test of permission, whose version is '1', can. */
async function failWhile(stage: Stage, name: string, work: () => Promise<void>): Promise<void> {
  await stage.sql(`create function public.refuse_row() returns trigger language plpgsql as
    $$ begin raise 'refused'; end $$`);
  await stage.sql(`create trigger refuse_row before insert on storage.objects
    for each row when (new.name = '${name}' and new.version <> '1') execute function public.refuse_row()`);
  try {
    await work();
  } finally {
    await stage.sql('drop function public.refuse_row() cascade');
  }
}

/** The row of a finished object is written only when the work is done. */
async function holdWhile(stage: Stage, name: string, work: () => Promise<void>): Promise<void> {
  await stage.sql(`create function public.hold_row() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`);
  await stage.sql(`create trigger hold_row before insert on storage.objects
    for each row when (new.name = '${name}' and new.version <> '1') execute function public.hold_row()`);
  await asOwner(stage.server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(4711)');
    await work();
    await client.query('commit');
  });
  await expect.poll(() => stage.sql('select from storage.objects where name = $1', [name])).toHaveLength(1);
  await stage.sql('drop function public.hold_row() cascade');
}
