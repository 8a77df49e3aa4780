/** Bytes in the order in which they came; no byte is copied more than once. */
export type ByteQueue = Readonly<{
  push: (bytes: Uint8Array) => void;
  size: () => number;
  /** The oldest `count` bytes, or all where there are fewer. */
  take: (count: number) => Buffer;
}>;

export function createByteQueue(): ByteQueue {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return {
    push: (bytes) => {
      pieces.push(bytes);
      size += bytes.length;
    },
    size: () => size,
    take: (count) => {
      const taken: Uint8Array[] = [];
      let missing = Math.min(count, size);
      size -= missing;
      let used = 0;
      for (const piece of pieces) {
        if (missing === 0) break;
        const part = piece.subarray(0, missing);
        taken.push(part);
        missing -= part.length;
        if (part.length < piece.length) pieces[used] = piece.subarray(part.length);
        else used += 1;
      }
      pieces = pieces.slice(used);
      return Buffer.concat(taken);
    },
  };
}
