import type { Encoded } from './encode-value.ts';

/** A message of PostgreSQL's protocol. '' is the name of the unnamed statement; every portal is the unnamed one. */
export type Message =
  | Readonly<{ kind: 'describe' | 'execute' | 'sync' }>
  | Readonly<{ kind: 'close'; name: string }>
  | Readonly<{ kind: 'parse'; name: string; text: string }>
  | Readonly<{ kind: 'bind'; name: string; values: readonly Encoded[] }>;

/** Letter and length, which counts itself. */
const HEAD = 5;
const LETTERS = { parse: 'P', bind: 'B', describe: 'D', execute: 'E', close: 'C', sync: 'S' } as const;
const [TEXT, BINARY] = [0, 1];

/** The messages in one piece, because each write to a socket costs more than their bytes. */
export function encodeMessages(messages: readonly Message[]): Buffer {
  const lengths = messages.map(getLength);
  const packet = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, message] of messages.entries()) {
    const length = lengths[index] ?? 0;
    packet.write(LETTERS[message.kind], at, 'latin1');
    packet.writeInt32BE(length - 1, at + 1);
    writeContent(packet, at + HEAD, message);
    at += length;
  }
  return packet;
}

function getLength(message: Message): number {
  switch (message.kind) {
    case 'parse':
      return HEAD + Buffer.byteLength(message.name) + 1 + Buffer.byteLength(message.text) + 1 + 2;
    case 'bind':
      return HEAD + 1 + Buffer.byteLength(message.name) + 1 + 2 + getValuesLength(message.values) + 4;
    case 'close':
      return HEAD + 1 + Buffer.byteLength(message.name) + 1;
    case 'describe':
      return HEAD + 1 + 1;
    case 'execute':
      return HEAD + 1 + 4;
    default:
      return HEAD;
  }
}

/** Each value with its format and length, and the number of values. */
function getValuesLength(values: readonly Encoded[]): number {
  let length = 2;
  for (const value of values) length += 2 + 4 + (value === null ? 0 : Buffer.byteLength(value));
  return length;
}

function writeContent(packet: Buffer, start: number, message: Message): void {
  switch (message.kind) {
    case 'parse': {
      const end = writeText(packet, writeText(packet, start, message.name), message.text);
      packet.writeInt16BE(0, end);
      return;
    }
    case 'bind':
      writeBind(packet, writeText(packet, writeText(packet, start, ''), message.name), message.values);
      return;
    case 'close':
      packet.write('S', start, 'latin1');
      writeText(packet, start + 1, message.name);
      return;
    case 'describe':
      packet.write('P', start, 'latin1');
      writeText(packet, start + 1, '');
      return;
    case 'execute':
      // No limit of rows.
      packet.writeInt32BE(0, writeText(packet, start, ''));
      return;
    case 'sync':
  }
}

function writeText(packet: Buffer, at: number, text: string): number {
  const end = at + packet.write(text, at);
  packet[end] = 0;
  return end + 1;
}

/** Formats, values, and one format for all columns of the rows. */
function writeBind(packet: Buffer, start: number, values: readonly Encoded[]): void {
  let at = writeCount(packet, start, values.length);
  for (const value of values) at = packet.writeInt16BE(Buffer.isBuffer(value) ? BINARY : TEXT, at);
  at = writeCount(packet, at, values.length);
  for (const value of values) at = writeValue(packet, at, value);
  packet.writeInt16BE(TEXT, writeCount(packet, at, 1));
}

/** A number that has no place in the protocol is cut, and PostgreSQL refuses the statement. */
function writeCount(packet: Buffer, at: number, count: number): number {
  return packet.writeUInt16BE(count & 0xff_ff, at);
}

function writeValue(packet: Buffer, at: number, value: Encoded): number {
  if (value === null) return packet.writeInt32BE(-1, at);
  const begin = at + 4;
  const length = Buffer.isBuffer(value) ? value.copy(packet, begin) : packet.write(value, begin);
  packet.writeInt32BE(length, at);
  return begin + length;
}
