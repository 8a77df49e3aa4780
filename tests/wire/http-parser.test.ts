import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.stop());

/** Everything the server says to exactly these bytes, until it ends the connection. */
function say(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let said = '';
    socket.on('data', (chunk) => void (said += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
    socket.write(text);
  });
}

const statuses = (answer: string): string[] => answer.match(/HTTP\/1\.1 \d{3}/g) ?? [];

const HEAD = 'POST /rest/v1/interviews HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n';
const HIDDEN = 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

test.each([
  ['two kinds of length', `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['two different lengths', `${HEAD}content-length: 2\r\ncontent-length: 80\r\n\r\n{}${HIDDEN}`],
  ['a length that is no number', `${HEAD}content-length: +2\r\n\r\n{}${HIDDEN}`],
  ['an unknown transfer coding', `${HEAD}transfer-encoding: xchunked\r\n\r\n{}${HIDDEN}`],
  ['a bare line feed in a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n2\n{}\n0\n\n${HIDDEN}`],
])('A request with %s is refused, and what follows is no second request (security 4.2.1)', async (_what, text) => {
  expect(statuses(await say(text))).toEqual(['HTTP/1.1 400']);
});

test('TRACE repeats nothing of a request (security 13.4.4)', async () => {
  const answer = await say('TRACE / HTTP/1.1\r\nhost: x\r\nx-secret: geheim\r\nconnection: close\r\n\r\n');
  expect(statuses(answer)).not.toEqual(['HTTP/1.1 200']);
  expect(answer).not.toContain('geheim');
});
