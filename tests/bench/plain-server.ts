import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/**
 * A process that copies the body of a request into a file and flushes it, or answers with the file or a range of it,
 * and does nothing else: what HTTP and the disk allow.
 */
const file = process.argv[2] ?? '';
const server = createServer((request, answer) => {
  void (request.method === 'GET' ? answerFile(request, answer) : copy(request).then(() => answer.end()));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function copy(body: IncomingMessage): Promise<void> {
  await pipeline(body, createWriteStream(file));
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}

async function answerFile({ headers }: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { size } = await stat(file);
  const [, from = '0', to = String(size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Number(to)];
  answer.writeHead(headers.range === undefined ? 200 : 206, { 'content-length': end + 1 - start });
  await pipeline(createReadStream(file, { start, end }), answer);
}
