import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRequest, type RawConnection } from '#tests/support/raw-connection.ts';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

/** More than the system takes in place of a client that does not read: Linux lets a connection send 4 MiB ahead. */
const LENGTH = 12_000_000;
const CONFIG = `max_answer_bytes = ${2 * LENGTH}\nmax_unread_bytes_per_caller = ${LENGTH}\nmax_unread_bytes = ${2 * LENGTH}`;
const LONG = `/rest/v1/rpc/long_text?length=${LENGTH}`;

/** Asks for an answer of `LENGTH` bytes and stops reading once it has begun. */
async function askWithoutReading(server: RestServer, path: string, headers: readonly string[]): Promise<RawConnection> {
  const connection = await openRequest(server.url, [`GET ${path} HTTP/1.1`, ...headers]);
  await connection.until('HTTP/1.1 200 ');
  connection.pause();
  return connection;
}

/** Resolves once the server has ended the connection that asks for this path. */
function connectionEnded(server: RestServer, path: string): Promise<void> {
  return new Promise((resolve) => {
    server.app.server.on('request', ({ url, socket }: IncomingMessage) => {
      if (url === path) socket.once('close', () => resolve());
    });
  });
}

describe('A silent client', () => {
  let server: RestServer;
  beforeAll(async () => {
    server = await bootRest({ config: CONFIG, env: { ANSWER_SILENCE_S: '2' } });
  });
  afterAll(() => server.stop());

  test('A client that takes nothing of an answer of /rest/v1 ends with its connection (§9)', async () => {
    const ended = connectionEnded(server, LONG);
    await askWithoutReading(server, LONG, []);
    await ended;
  });

  test('A client that takes nothing of a download ends with its connection', async () => {
    const path = await upload(server);
    const ended = connectionEnded(server, path);
    await askWithoutReading(server, path, [`Authorization: Bearer ${server.backend.keys.secretKey}`]);
    await ended;
  });

  test('A client that reads slowly gets its whole answer, however long it takes', async () => {
    const slow = await askWithoutReading(server, LONG, ['Connection: close']);
    // Half a second without a byte, again and again, and twice as long as the limit in all.
    const reads = setInterval(() => slow.resume(LENGTH / 8), 500);
    const answer = await slow.closed;
    clearInterval(reads);
    expect(answer.length).toBeGreaterThan(LENGTH);
  });
});

async function upload(server: RestServer): Promise<string> {
  const bucket = randomUUID();
  const storage = server.service().storage;
  await storage.createBucket(bucket, { public: false });
  const { error } = await storage.from(bucket).upload('long.bin', Buffer.alloc(LENGTH));
  expect(error).toBeNull();
  return `/storage/v1/object/${bucket}/long.bin`;
}

describe('Answers that have not been read', () => {
  let server: RestServer;
  beforeAll(async () => {
    server = await bootRest({ config: CONFIG, env: { DATABASE_WAIT_S: '10' } });
  });
  afterAll(() => server.stop());

  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await server.call(path, { headers });
    const body: unknown = await response.json();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  }

  test('Refuses a caller whose earlier answers wait to be read, and serves others meanwhile (decision 0200)', async () => {
    const authorization = `Bearer ${await server.token('00000000-0000-0000-0000-00000000000a')}`;
    const unread = await askWithoutReading(server, LONG, []);
    const refused = get('/authors?select=id&limit=1');
    expect(await get('/authors?select=id&limit=1', { authorization })).toMatchObject({ status: 200 });
    expect(await refused).toMatchObject({ status: 429, retryAfter: '2', body: { code: 'answers_unread' } });
    unread.resume();
    // A busy machine takes its time to read, and a caller waits two seconds only.
    await expect.poll(async () => (await get('/authors?select=id&limit=1')).status).toBe(200);
    unread.destroy();
  });

  test('Refuses everybody while unread answers fill the memory for all, and no longer', async () => {
    const users = ['a', 'b', 'c'].map((name) => server.token(`00000000-0000-0000-0000-00000000000${name}`));
    const [a, b, c] = (await Promise.all(users)).map((token) => `Bearer ${token}`);
    const unread = [
      await askWithoutReading(server, LONG, [`Authorization: ${a}`]),
      await askWithoutReading(server, LONG, [`Authorization: ${b}`]),
    ];
    const refused = await get('/authors?select=id&limit=1', { authorization: c ?? '' });
    expect(refused).toMatchObject({ status: 503, retryAfter: '2', body: { code: 'overloaded' } });
    for (const connection of unread) connection.destroy();
    const ask = async () => (await get('/authors?select=id&limit=1', { authorization: c ?? '' })).status;
    await expect.poll(ask).toBe(200);
  });
});
