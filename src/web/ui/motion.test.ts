import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Where durations may stand as numbers. */
const TOKENS = 'src/web/ui/tokens.css';
/** What reduced motion sets: animations still report their end. */
const NONE = '0.01ms';

const findDurations = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:duration|delay)-(?:\d+|\[[^\]]+\])|(?<![\w.#-])\d*\.?\d+m?s(?=[\s;,)])/g)]
    .map(([found]) => found)
    .filter((found) => found !== NONE);

test('Durations are found as classes and in style sheets', () => {
  expect(findDurations("'transition duration-300 delay-[2s]'")).toEqual(['duration-300', 'delay-[2s]']);
  expect(findDurations('animation: rise 220ms var(--ease), b 1.6s; width: 2px')).toEqual(['220ms', '1.6s']);
});

test('No live region is hidden while it is empty: screen readers pass over one that appears with its words (4.1.3)', () => {
  const hidden = globSync('src/web/**/*.tsx').filter((file) =>
    /<(?:output|[^>]*aria-live)[^>]*empty:hidden/.test(readFileSync(file, 'utf8')),
  );
  expect(hidden).toEqual([]);
});

/** Classes of Tailwind that the theme has no value for, and a list of those that the style sheet leaves out. */
const VALUELESS = '(?:bg|text|border|fill|stroke)-(?:white|black)|text-xs(?:/.*)?';
const [, leftOut = ''] = /@source not inline\('\{(.+)\}'\)/.exec(readFileSync('src/web/ui/styles.css', 'utf8')) ?? [];
const UNMADE = new RegExp(`^(?:${VALUELESS}|${leftOut.replaceAll(',', '|')})$`);

function findUnmade(text: string): readonly string[] {
  const given = [...text.matchAll(/className=(?:"[^"]*"|\{clsx\([^]*?\)\}|\{[^}]*\})/g)].join(' ');
  return [...given.matchAll(/(["'`])(.*?)\1/g)]
    .flatMap(([, , words = '']) => words.split(' '))
    .filter((one) => UNMADE.test(one));
}

test('Each class that is given to an element has a rule: without one it would do nothing (§2.12)', () => {
  expect(leftOut).toContain(',');
  expect(
    findUnmade(`<p className={clsx(one && 'static', "ring")} /><p className="bg-white text-xs/4" />`),
  ).toHaveLength(4);
  const found = globSync('src/web/**/*.tsx').map((file) => [file, ...findUnmade(readFileSync(file, 'utf8'))]);
  expect(found.filter(({ length }) => length > 1)).toEqual([]);
});

test('Every movement takes its time from the tokens (0272)', () => {
  const files = globSync('src/web/**/*.{css,tsx}').filter((file) => file !== TOKENS && !file.endsWith('.test.tsx'));
  expect(files.length).toBeGreaterThan(100);
  const literal = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const classes = file.endsWith('.css')
      ? text
      : [...text.matchAll(/'[^'\n]*'/g)].map(([quoted]) => quoted).join('\n');
    return findDurations(classes).map((found) => `${file}: ${found}`);
  });
  expect(literal).toEqual([]);
});
