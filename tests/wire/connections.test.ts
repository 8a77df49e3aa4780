import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import {
  openConnection,
  openRequest,
  WEB_SOCKET_HANDSHAKE,
  type RawConnection,
} from '#tests/support/raw-connection.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

const PATIENT_S = String(STATE_MS / 1_000);

/** Ends only what takes longer than a body may take: a process that stands still for seconds loses no connection. */
let server: TestServer;
/** Ends what stands still, after seconds. */
let impatient: TestServer;
beforeAll(async () => {
  server = await bootServer({ HEADERS_TIMEOUT_S: PATIENT_S, BODY_TIMEOUT_S: '5', BODY_SILENCE_S: PATIENT_S });
  impatient = await bootServer({ HEADERS_TIMEOUT_S: '3', BODY_SILENCE_S: '3' });
});
afterAll(async () => {
  await impatient.stop();
  await server.stop();
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

describe('Upgrades of a connection (RFC 9110 §7.8)', () => {
  test.each(['/realtime/v1/websocket?vsn=1.0.0', '/rest/v1/interviews', '/nothing', '/', '/v1/convai/ticket', '/%zz'])(
    'Refuses a WebSocket under %s and ends the connection',
    async (path) => {
      const connection = await openRequest(server.url, [`GET ${path} HTTP/1.1`, ...WEB_SOCKET_HANDSHAKE]);
      const answer = await connection.closed;
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\nConnection: close\r\n/);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ statusCode: 404 });
    },
  );

  test('Refuses a handshake with another method under the path of the voice agent', async () => {
    const connection = await openRequest(server.url, [
      'POST /v1/convai/conversation HTTP/1.1',
      ...WEB_SOCKET_HANDSHAKE,
    ]);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('Still serves the WebSocket of the voice agent (§7)', async () => {
    const head = ['GET /v1/convai/conversation?ticket=none HTTP/1.1', ...WEB_SOCKET_HANDSHAKE];
    const connection = await openRequest(server.url, head);
    await connection.until('HTTP/1.1 101 Switching Protocols');
    connection.destroy();
  });

  test('Answers a request that also offers HTTP/2 as if it did not', async () => {
    const head = [
      'GET /health HTTP/1.1',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
    ];
    const connection = await openRequest(server.url, head);
    await connection.until('"status":"ok"');
    expect(connection.received()).toMatch(/^HTTP\/1\.1 200 /);
    connection.destroy();
  });

  test('Leaves no connection behind', async () => {
    const before = await connections();
    const handshakes = Array.from({ length: 15 }, () =>
      openRequest(server.url, ['GET /realtime/v1/websocket HTTP/1.1', ...WEB_SOCKET_HANDSHAKE]),
    );
    await Promise.all((await Promise.all(handshakes)).map((connection) => connection.closed));
    expect(await connections()).toBeLessThanOrEqual(before);
  });
});

// At the same time: each waits for seconds and costs nothing meanwhile.
describe.concurrent('Half-sent requests', () => {
  test.each([
    ['nothing at all', ''],
    ['a request line alone', 'GET /health HTT'],
    ['a header that is never finished', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ])('Ends a connection with %s', async (_what, text) => {
    const connection = await openConnection(impatient.url);
    connection.write(text);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    'POST /auth/v1/token?grant_type=password',
    'POST /rest/v1/interviews',
    'PATCH /nothing',
    'POST /%zz',
    'POST /v1/audio/transcriptions',
    'POST /storage/v1/object/Media/x.png',
    'POST /storage/v1/upload/resumable',
  ])('Ends %s with a body that stands still', async (start) => {
    const head = [`${start} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 1000'];
    const connection = await openRequest(impatient.url, head, '{');
    expect(await connection.closed).toMatch(/^(HTTP\/1\.1 \d{3} |$)/);
  });

  test('A file that drips in is stored, although it takes longer than any other body may take (decision 0120)', async () => {
    const bucket = randomUUID();
    await asOwner(server.databaseUrl, (owner) =>
      owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket]),
    );
    const body = ['Content-Type: application/octet-stream', 'Transfer-Encoding: chunked'];
    const service = [`Authorization: Bearer ${server.backend.keys.secretKey}`, ...body];
    const file = await openRequest(server.url, [`POST /storage/v1/object/${bucket}/slow.bin HTTP/1.1`, ...service]);
    const other = await openRequest(server.url, ['POST /rest/v1/interviews HTTP/1.1', ...service]);
    const drips = drip([file, other]);
    expect(await other.closed).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drips);
    file.write('0\r\n\r\n');
    await file.until('slow.bin"');
    expect(file.received()).toMatch(/^HTTP\/1\.1 200 /);
    file.destroy();
  });
});

function drip(connections: readonly RawConnection[]): NodeJS.Timeout {
  return setInterval(() => {
    for (const connection of connections) connection.write('1\r\nx\r\n');
  }, 100);
}
