/** Ends of sentences: a mark, perhaps a closing quote, a space, and something that can begin a sentence. */
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

/** Pieces of text as a language model sends them → sentences, each as soon as it is whole. */
export async function* sentencesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const taken = takeSentences(rest + piece);
    rest = taken.rest;
    yield* taken.sentences;
  }
  const last = rest.trim();
  if (last !== '') yield last;
}
