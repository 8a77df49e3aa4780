import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Only Linux lets a client choose among the addresses of the loopback. */
const CHOOSES_ADDRESS = process.platform === 'linux';
const PATIENCE_MS = 60_000;

/** The attacker's own address: limits for one address must not reach the member who is observed. */
export const ATTACKER = '127.0.0.66';

export type Call = Readonly<{
  method?: string;
  /** Goes on the wire as it stands. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer | Readable;
  from?: string;
}>;

/** `status` is `cut` where the connection ended without an answer, `late` where none came in time. */
export type Reply = Readonly<{
  status: number | 'cut' | 'late';
  bytes: number;
  text: string;
  location?: string | undefined;
}>;

const KEPT_CHARACTERS = 100_000;

/** One request on a connection of its own; the answer is read to its end, the beginning of its text kept. */
export function send(url: string, call: Call): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const options = {
    host: hostname,
    port,
    path: call.path,
    method: call.method ?? 'GET',
    agent: false,
    headers: call.headers ?? {},
    ...localAddress(call.from ?? ATTACKER),
  };
  return new Promise((resolve) => {
    const fail = (status: 'cut' | 'late') => (): void => resolve({ status, bytes: 0, text: '' });
    const sending = request(options, (answer) => void read(answer).then(resolve, fail('cut')));
    sending.on('error', fail('cut'));
    sending.setTimeout(PATIENCE_MS, () => {
      fail('late')();
      sending.destroy();
    });
    if (call.body === undefined || typeof call.body === 'string' || Buffer.isBuffer(call.body)) sending.end(call.body);
    else call.body.on('error', fail('cut')).pipe(sending);
  });
}

async function read(answer: IncomingMessage): Promise<Reply> {
  let bytes = 0;
  let text = '';
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (text.length < KEPT_CHARACTERS) text += part.toString('utf8');
  }
  return { status: answer.statusCode ?? 0, bytes, text, location: answer.headers.location };
}

export type RawSocket = Readonly<{
  socket: Socket;
  /** Everything the server said so far. */
  said: () => string;
  isClosed: () => boolean;
}>;

/** A bare connection on which exactly `text` was sent. */
export async function openRaw(url: string, text: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...localAddress(ATTACKER) });
  let said = '';
  let closed = false;
  socket.on('data', (chunk) => void (said += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  // The other side's end counts as closed; answering it is left out, as an attacker would.
  socket.on('end', () => void (closed = true));
  socket.on('close', () => void (closed = true));
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(text);
  return { socket, said: () => said, isClosed: () => closed };
}

/** The status in a raw answer, or what became of the connection. */
export function getStatus(raw: RawSocket): number | 'open' | 'cut' {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(raw.said())?.[1];
  if (status !== undefined) return Number(status);
  return raw.isClosed() ? 'cut' : 'open';
}

export function localAddress(address: string): { localAddress?: string } {
  return CHOOSES_ADDRESS ? { localAddress: address } : {};
}
