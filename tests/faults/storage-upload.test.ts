import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { bytes, MEBIBYTE, onEachStore, sha256, type User } from '#tests/support/storage.ts';

type Shape = Readonly<{ kind: string; type: string; opening: string }>;

const SHAPES: readonly Shape[] = [
  { kind: 'raw', type: 'video/x-any', opening: '' },
  {
    kind: 'form',
    type: 'multipart/form-data; boundary=b',
    opening: '--b\r\ncontent-disposition: form-data; name=""; filename="v"\r\ncontent-type: video/x-any\r\n\r\n',
  },
];

onEachStore((stage) => {
  let user: User;
  let count: number;
  beforeEach(async () => {
    user = await stage().user();
    count = (await stage().files()).length;
  });

  function begin(shape: Shape, name: string, headers: Record<string, string | number> = {}): ClientRequest {
    const sending = request(`${stage().server.url}/storage/v1/object/private/${user.id}/${name}`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': shape.type, ...headers },
    });
    sending.on('error', () => undefined);
    sending.write(shape.opening);
    return sending;
  }

  const nothingLeft = async (): Promise<void> => {
    await vi.waitFor(async () => expect(await stage().files()).toHaveLength(count));
    await vi.waitFor(async () => expect(await stage().sql('select * from _backend.unclaimed_files')).toEqual([]));
    expect((await user.client.storage.from('private').list(user.id)).data).toEqual([]);
  };

  test.each(SHAPES)('threat 10: an upload that the client breaks off leaves nothing ($kind)', async (shape) => {
    const sending = begin(shape, 'half');
    sending.write(bytes(3 * MEBIBYTE));
    await vi.waitFor(async () => expect(await stage().sql('select * from _backend.unclaimed_files')).toHaveLength(1));
    sending.destroy();
    await nothingLeft();
    expect((await fetch(`${stage().server.url}/health`)).status).toBe(200);
  });

  test.each(SHAPES)('threat 10: a body shorter than its content-length leaves nothing ($kind)', async (shape) => {
    const sending = begin(shape, 'short', { 'content-length': 5 * MEBIBYTE });
    sending.write(bytes(MEBIBYTE), () => sending.socket?.end());
    await ended(sending);
    await nothingLeft();
  });

  test.each(SHAPES)(
    'threat 10: an endless chunked body gets EntityTooLarge while it is still sent ($kind)',
    async (shape) => {
      const sending = begin(shape, 'endless', { 'transfer-encoding': 'chunked' });
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
      let sent = 0;
      let over = false;
      const pump = (): void => {
        for (let more = true; more && !over; sent += MEBIBYTE) more = sending.write(bytes(MEBIBYTE));
      };
      sending.on('drain', pump);
      pump();
      const [answer] = await answered;
      const body = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as unknown;
      over = true;
      expect([answer.statusCode, body]).toEqual([
        400,
        expect.objectContaining({ statusCode: '413', code: 'EntityTooLarge' }),
      ]);
      expect(sent).toBeGreaterThan(19 * MEBIBYTE);
      sending.destroy();
      await nothingLeft();
    },
  );

  test('threat 10: who goes on sending after the answer is cut off', async () => {
    const [shape] = SHAPES;
    if (shape === undefined) throw new Error('no shape');
    const sending = begin(shape, 'stubborn', { 'transfer-encoding': 'chunked', authorization: 'Bearer x.y.z' });
    const closed = ended(sending);
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(400);
    answer.resume();
    const pump = (): void => {
      while (!sending.destroyed && sending.write(bytes(MEBIBYTE)));
    };
    sending.on('drain', pump);
    pump();
    await closed;
    await nothingLeft();
  });

  test('faults: the same upload 10 times in parallel makes one row and one file', async () => {
    const files = user.client.storage.from('private');
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => files.upload(`${user.id}/same`, bytes(MEBIBYTE))),
    );
    const codes = outcomes.map(({ error }) => (error === null ? 'stored' : error.message)).toSorted();
    expect(codes).toEqual([...Array.from({ length: 9 }, () => 'The resource already exists'), 'stored']);
    expect(await stage().files()).toHaveLength(count + 1);
    expect((await files.list(user.id)).data).toHaveLength(1);
  });

  test('faults: 10 upserts in parallel end with one whole version', async () => {
    const files = user.client.storage.from('private');
    const versions = Array.from({ length: 10 }, (_, seed) => bytes(MEBIBYTE + seed, seed));
    const outcomes = await Promise.all(
      versions.map((content) => files.upload(`${user.id}/same`, content, { upsert: true })),
    );
    expect(outcomes.map(({ error }) => error)).toEqual(outcomes.map(() => null));
    const { data } = await files.download(`${user.id}/same`);
    const got = sha256(new Uint8Array((await data?.arrayBuffer()) ?? []));
    expect(versions.map((content) => sha256(content))).toContain(got);
    await vi.waitFor(async () => expect(await stage().files()).toHaveLength(count + 1));
  });

  test('faults: while an object is replaced, every reader gets one whole version', async () => {
    const files = user.client.storage.from('private');
    const versions = Array.from({ length: 12 }, (_, seed) => bytes(MEBIBYTE + seed, seed));
    const known = new Set(versions.map((content) => sha256(content)));
    await files.upload(`${user.id}/live`, bytes(MEBIBYTE, 0));
    let writing = true;
    const readers = Array.from({ length: 3 }, async () => {
      let read = 0;
      while (writing) {
        const { data, error } = await files.download(`${user.id}/live`);
        expect(error).toBeNull();
        expect(known).toContain(sha256(new Uint8Array((await data?.arrayBuffer()) ?? [])));
        read += 1;
      }
      return read;
    });
    for (const content of versions) {
      expect((await files.upload(`${user.id}/live`, content, { upsert: true })).error).toBeNull();
    }
    writing = false;
    expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(0);
  });

  test('faults: lost database connections in the middle of an upload do no harm', async () => {
    const [shape] = SHAPES;
    if (shape === undefined) throw new Error('no shape');
    const sending = begin(shape, 'through');
    sending.write(bytes(MEBIBYTE));
    await vi.waitFor(async () => expect(await stage().sql('select * from _backend.unclaimed_files')).toHaveLength(1));
    await stage().sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    sending.end(bytes(MEBIBYTE));
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    const { data } = await user.client.storage.from('private').download(`${user.id}/through`);
    expect(data?.size).toBe(2 * MEBIBYTE);
  });
});

/** `once` would reject where the server resets the connection, which is an end like any other here. */
function ended(sending: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    sending.once('close', resolve);
  });
}
