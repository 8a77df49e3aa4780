import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MESSAGES } from './messages.ts';

const TEXTS = globSync('src/web/**/{texts,*-texts}.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
  // A text longer than a line stands in pieces.
  .replaceAll(/' \+\s+'/g, '');

/** Quoted, and not word for word in a texts.ts: a client's own error, a style, and texts with a variable. */
const OTHERS = [
  'You must provide either an email or phone number and a password',
  'Destructive',
  'Fehler bei der Transkription: {status} {statusText}',
  'N von M Datei(en) wurden erfolgreich hochgeladen.',
];

it.each(['2-screens', '4-states', '5-validation', '8-messages'])(
  'The page %s quotes the texts of the screens as they are (§2, §4, §5, §8)',
  (page) => {
    const file = `docs/specification/${page}.md`;
    const quoted = readFileSync(file, 'utf8')
      .replaceAll(/\n\s+/g, ' ')
      .matchAll(/(?<=[\s(])'([^'\n]{3,}?)'(?=[\s.,;:)])/g);
    const texts = Array.from(quoted, ([, text = '']) => text).filter((text) => !OTHERS.includes(text));
    expect(texts.length).toBeGreaterThan(10);
    expect(
      texts.filter((text) => !TEXTS.includes(text)),
      `in ${file}, and in no texts.ts`,
    ).toEqual([]);
  },
);

it('The page of words names those of the screens as they are (§2)', () => {
  const sources = globSync('src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file));
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const [, , ...rows] = readFileSync('docs/language.md', 'utf8').match(/^\|.*$/gm) ?? [];
  const words = rows.flatMap(
    (row) =>
      row
        .split('|')[1]
        ?.replaceAll(/\(.*?\)/g, '')
        .split(/[,…–]/) ?? [],
  );
  const known = words.map((word) => word.trim()).filter((word) => word !== '');
  expect(known.length).toBeGreaterThan(80);
  expect(
    known.filter((word) => !code.includes(word)),
    'in docs/language.md, and on no screen',
  ).toEqual([]);
});

describe('§5, §8 every message', () => {
  it.each(MESSAGES.filter((message) => message.shownBy !== undefined))(
    '$section: $text is made to appear by $shownBy.title',
    ({ text, shownBy }) => {
      const source = readFileSync(shownBy?.file ?? '', 'utf8');
      expect(
        getTitles(source).some((title) => title.includes(shownBy?.title ?? '')),
        'the test exists',
      ).toBe(true);
      expect(source.includes(text), 'and mentions the text').toBe(true);
      expect(TEXTS.includes(text) || text.startsWith('von 2'), 'which stands in a texts.ts').toBe(true);
    },
  );

  it('is named once a section', () => {
    const named = MESSAGES.map(({ section, text }) => `${section}: ${text}`);
    expect(named).toEqual([...new Set(named)]);
  });
});

/** What stands in quotes behind test(, it( and their tables. */
function getTitles(source: string): string[] {
  const calls = source.matchAll(/\b(?:test|it|withApplication)(?:\.each[^]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[^])*?)\1/g);
  return [...calls].map((call) => call[2] ?? '').concat(source.includes('const NOT_FOUND') ? ['NOT_FOUND'] : []);
}
