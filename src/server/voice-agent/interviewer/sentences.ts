import { SERVICE_LIMITS } from '../../service-limits.ts';

/** The end of a sentence: a mark, perhaps a closing quote, a space, and a possible beginning of the next one. */
const END = /[.!?…]+["“”«»)]*\s+(?=["„»«(]?[\p{Lu}\p{N}])/gu;
const ABBREVIATION =
  /(?:^|[\s(])(?:z\.\s?B|d\.\s?h|u\.\s?a|bzw|ca|Dr|Prof|Dipl|Ing|Nr|St|usw|vgl|Mio|Mrd|Tsd|\d{1,4}|\p{L})\.$/u;

/** Cuts whole sentences off the front of a growing text. */
function takeSentences(text: string): { sentences: readonly string[]; rest: string } {
  const sentences: string[] = [];
  let from = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    const sentence = text.slice(from, end).trim();
    if (ABBREVIATION.test(sentence)) continue;
    sentences.push(sentence);
    from = end;
  }
  return { sentences, rest: text.slice(from) };
}

const LONGEST = SERVICE_LIMITS.sentenceCharacters;

/** Yields pieces of a text that is too long for one sentence, cut between words if possible; returns the rest. */
function* cutLong(text: string): Generator<string, string> {
  let rest = text;
  while (rest.length > LONGEST) {
    const space = rest.lastIndexOf(' ', LONGEST);
    const end = space > 0 ? space : LONGEST;
    const part = rest.slice(0, end).trim();
    if (part !== '') yield part;
    rest = rest.slice(end);
  }
  return rest;
}

/**
 * Turns the pieces of a language model into sentences, each as soon as it is complete. Cuts a text without an end of a
 * sentence, so that each step reads a bounded length.
 */
export async function* splitSentences(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += LONGEST) {
      const taken = takeSentences(rest + piece.slice(at, at + LONGEST));
      for (const sentence of taken.sentences) yield yield* cutLong(sentence);
      rest = yield* cutLong(taken.rest);
    }
  }
  const last = rest.trim();
  if (last !== '') yield last;
}
