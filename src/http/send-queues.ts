import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Bytes in the system's send queue of each connection, which the other side has not acknowledged. */
export type SendQueues = Readonly<{ of: (socket: Socket) => string }>;

/** IPv4, then IPv6, where Linux lists its connections. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** `  0: 0100007F:1F90 0100007F:D5A2 01 00317D00:00000000 …`: number, local, remote, state, queues. */
const ROW = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm;

/** Undefined where the system does not show its queues. */
export async function readSendQueues(): Promise<SendQueues | undefined> {
  const texts = await Promise.all(TABLES.map((file) => readFile(file, 'latin1').catch(() => '')));
  return texts.every((text) => text === '') ? undefined : parseSendQueues(texts.join('\n'));
}

/** Connections of the same two ports share an entry: each of them moves it. */
export function parseSendQueues(text: string): SendQueues {
  const queues = new Map<string, string>();
  for (const [, local, remote, queue] of text.matchAll(ROW)) {
    const ports = `${Number.parseInt(local ?? '', 16)} ${Number.parseInt(remote ?? '', 16)}`;
    queues.set(ports, `${queues.get(ports) ?? ''} ${queue}`);
  }
  return { of: ({ localPort, remotePort }) => queues.get(`${localPort} ${remotePort}`) ?? '' };
}
