import { expect, test } from 'vitest';
import { diffWords } from './word-diff.ts';

const show = (before: string, after: string) =>
  diffWords(before, after)
    .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind])
    .join('');

test.each([
  ['Die Pumpe läuft.', 'Die Pumpe läuft.', 'Die Pumpe läuft.'],
  ['Die Pumpe läuft.', 'Die neue Pumpe läuft.', 'Die {+neue +}Pumpe läuft.'],
  ['Sie misst in 2 s.', 'Sie misst in 3 s.', 'Sie misst in [-2-]{+3+} s.'],
  ['a b c d', 'a c d e', 'a [-b -]c d{+ e+}'],
  ['', 'Neu', '{+Neu+}'],
  ['Alt', '', '[-Alt-]'],
])('Marks the words that differ (%#)', (before, after, shown) => expect(show(before, after)).toBe(shown));

test('Gives both texts back, also where they are too long to compare', () => {
  const words = (seed: number) => Array.from({ length: 4_000 }, (_, at) => `w${(at * seed) % 997}`).join(' ');
  const [before, after] = [words(3), words(7)];
  const parts = diffWords(before, after);
  const side = (kind: 'removed' | 'added') => parts.filter((part) => part.kind === 'same' || part.kind === kind);
  expect(
    side('removed')
      .map(({ text }) => text)
      .join(''),
  ).toBe(before);
  expect(
    side('added')
      .map(({ text }) => text)
      .join(''),
  ).toBe(after);
});
