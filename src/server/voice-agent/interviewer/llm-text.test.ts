import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitSentences } from './llm-text.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function collect(sentences: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const sentence of sentences) all.push(sentence);
  return all;
}

test.each<[string, string[]]>([
  ['Hallo! Wie geht es dir?', ['Hallo!', 'Wie geht es dir?']],
  ['Das kostet 3.5 Mio. Euro. Gut?', ['Das kostet 3.5 Mio. Euro.', 'Gut?']],
  ['Wir haben z. B. Kräne. Und du?', ['Wir haben z. B. Kräne.', 'Und du?']],
  ['Am 3. Mai war Dr. Müller da. Schön.', ['Am 3. Mai war Dr. Müller da.', 'Schön.']],
  ['„Wirklich?“ Ja.', ['„Wirklich?“', 'Ja.']],
  ['ohne Punkt', ['ohne Punkt']],
  ['', []],
])('%s', async (text, expected) => {
  expect(await collect(splitSentences(pieces(text, 3)))).toEqual(expected);
});

test('Loses no letter, however the text is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('A', 'b', '.', '?', ' ', '1', '„', '“') }),
      fc.integer({ min: 1, max: 9 }),
      async (text, size) => {
        const sentences = await collect(splitSentences(pieces(text, size)));
        expect(sentences.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      },
    ),
  );
});
