import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/**
 * A process that copies the body of a request into a file, flushes it and does nothing else: what HTTP and the disk
 * allow.
 */
const file = process.argv[2] ?? '';
const server = createServer((request, answer) => {
  void copy(request).then(() => answer.end());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function copy(body: IncomingMessage): Promise<void> {
  await pipeline(body, createWriteStream(file));
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
  await rm(file);
}
