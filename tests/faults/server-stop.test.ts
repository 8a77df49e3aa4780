import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enterAs } from '#tests/support/first-accounts.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import {
  openConnection,
  openRequest,
  WEB_SOCKET_HANDSHAKE,
  type RawConnection,
} from '#tests/support/raw-connection.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';
import { getTicket } from '#tests/support/voice-client.ts';

const MEBIBYTE = 1024 * 1024;

let dataDir: string;
let server: ServerProcess;
let url: string;
let token: string;

beforeAll(async () => {
  dataDir = await makeUsedFolder();
  server = spawnServer({ DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' });
  url = await server.url;
  const { client } = await enterAs(url, dataDir, 'admin');
  const { data } = await client.auth.getSession();
  token = data.session?.access_token ?? '';
});
afterAll(async () => {
  await server.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Connections as they lie about on a server that has been up for a while. */
async function connectEverything(): Promise<RawConnection[]> {
  const handshake = (path: string): Promise<RawConnection> =>
    openRequest(url, [`GET ${path} HTTP/1.1`, ...WEB_SOCKET_HANDSHAKE]);
  const upload = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/octet-stream',
    `Content-Length: ${MEBIBYTE}`,
  ];
  const [silent, header, idle] = [
    await openConnection(url),
    await openConnection(url),
    await openRequest(url, ['GET /health HTTP/1.1']),
  ];
  header.write('GET /health HTTP/1.1\r\nX-Slow: ');
  await idle.until('"status"');
  const refused = await handshake('/realtime/v1/websocket');
  const withoutTicket = await handshake('/v1/convai/conversation?ticket=none');
  await withoutTicket.until('101 Switching');
  const { signedUrl } = await getTicket(url, { authorization: `Bearer ${token}` });
  const { pathname, search } = new URL(signedUrl);
  const conversation = await handshake(`${pathname}${search}`);
  await conversation.until('101 Switching');
  const body = await openRequest(url, ['POST /rest/v1/interviews HTTP/1.1', 'Content-Length: 1000'], '{');
  const file = await openRequest(
    url,
    ['POST /storage/v1/object/Media/1/half.bin HTTP/1.1', ...upload],
    'x'.repeat(1000),
  );
  return [silent, header, idle, refused, withoutTicket, conversation, body, file];
}

test('SIGTERM ends the server in order, whatever is connected to it', async () => {
  const connections = await connectEverything();
  // 1 would mean that it gave up after that minute.
  expect(await server.end('SIGTERM')).toBe(0);
  await Promise.all(connections.map((connection) => connection.closed));
});
