import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatMessage } from '../../language-model.ts';
import { arrange, splitSentences } from './llm-text.ts';

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

const message = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content });

test.each([
  ['begins with the interviewer', [message('system', 's'), message('assistant', 'a'), message('user', 'u')]],
  ['goes on after a question', [message('system', 's'), message('user', 'u'), message('assistant', 'a')]],
  [
    'has an answer over a question, and a further instruction',
    [message('system', 's'), message('user', 'u'), message('user', 'v'), message('system', 't')],
  ],
])('A model whose template wants turns in order understands a conversation that %s', (_what, history) => {
  const [first, ...said] = arrange(history);
  expect(first?.role).toBe('system');
  expect(said.every(({ role }, at) => (role === 'user') === (at % 2 === 0))).toBe(true);
  expect(said.at(-1)?.role).toBe('user');
  const all = arrange(history)
    .map(({ content }) => content)
    .join();
  for (const { content } of history) expect(all).toContain(content);
});
