/** A service answered more than it may. Carries nothing of the answer. */
export class AnswerTooLongError extends Error {
  readonly code = 'answer_too_long';
  constructor() {
    super('the answer is too long');
    this.name = 'AnswerTooLongError';
  }
}

/** A body as a stream; null where an answer has none. */
type Body = AsyncIterable<Uint8Array> | null;

/** Passes pieces on. Beyond `maxBytes` it closes the source and throws AnswerTooLongError. */
export async function* limitBytes(source: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source ?? []) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new AnswerTooLongError();
    yield piece;
  }
}

/** Reads a whole body. Throws AnswerTooLongError. */
export async function readBytes(source: Body, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of limitBytes(source, maxBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Reads a whole body as text. Throws AnswerTooLongError. */
export async function readText(source: Body, maxBytes: number): Promise<string> {
  return (await readBytes(source, maxBytes)).toString('utf8');
}

/** Reads a whole body as JSON. Throws AnswerTooLongError, or SyntaxError. */
export async function readJson(source: Body, maxBytes: number): Promise<unknown> {
  return JSON.parse(await readText(source, maxBytes));
}

/**
 * The `data` fields of an event stream, up to OpenAI's `[DONE]`. Reads each piece once, however long a line is. Throws
 * AnswerTooLongError for a line of more than `lineMax` characters.
 */
export async function* readServerSentData(body: AsyncIterable<Uint8Array>, lineMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    const [head = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n');
    begun.push(head);
    length += head.length;
    if (length > lineMax) throw new AnswerTooLongError();
    for (const next of lines) {
      const data = /^data:\s?(.*?)\r?$/.exec(begun.join(''))?.[1];
      if (data === '[DONE]') return;
      if (data !== undefined) yield data;
      begun = [next];
      length = next.length;
    }
  }
}
