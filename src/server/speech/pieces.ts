export type Peeked = Readonly<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }>;

/** Reads `bytes` of the beginning, or less where there is less; `all` still starts at the beginning. */
export async function peek(source: AsyncIterable<Uint8Array>, bytes: number): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size < bytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    pieces.push(next.value);
    size += next.value.byteLength;
  }
  const head = Buffer.concat(pieces);
  return { head, all: joined(head, iterator) };
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.byteLength > 0) yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
