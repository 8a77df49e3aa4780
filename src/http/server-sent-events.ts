import { AnswerTooLongError } from './limited-answer.ts';

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
