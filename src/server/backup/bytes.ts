export type Bytes = AsyncIterable<Buffer> | Iterable<Buffer>;

/** All of it in memory, each piece copied while it is good: for what is known to be small. */
export async function whole(content: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(content)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** What a library's stream yields, known to be bytes. */
export async function* bytesOf(content: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('bytes were expected');
    yield chunk;
  }
}
