import { IncomingMessage } from 'node:http';

/**
 * Whether only its reader uses the chunks of this body: Node copies each from its connection. A request within the
 * process (decision 0219) may bring memory that its sender still uses.
 */
export function ownsChunks(body: object): boolean {
  return body instanceof IncomingMessage;
}

/**
 * Gives the memory of a chunk back at once; the chunk is empty afterwards. The garbage collector would let 64 MB of
 * chunks pile up and then go through the whole heap for them. Leaves a chunk that shares its memory with others.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
