import { expect, test } from 'vitest';
import { findDuplicates } from './duplicates.ts';
import { strayIgnores } from './format-ignores.ts';
import { importCycles, importGraph, singleImporterFiles } from './imports.ts';
import { startPackages } from './installed-size.ts';
import { isBroken, judge } from './limits.ts';
import { measureSources } from './measure.ts';
import { functionSizes, spread, wideLines } from './sizes.ts';
import { parseSource } from './source.ts';

/** The files of these tests exist nowhere else. */
const SRC = 'src';
const LONG = 'a'.repeat(130);
const findWide = (text: string): string[] =>
  wideLines(parseSource(`${SRC}/a.${text.includes('<p') ? 'tsx' : 'ts'}`, text));
const ALIASES = { '#web/*': './src/web/*' };

test('Finds the middle, the 95th percentile and the largest of sizes', () => {
  const sizes = Array.from({ length: 100 }, (_, index) => ({ place: `${index}`, lines: 100 - index }));
  expect(spread(sizes)).toEqual({ p50: 50, p95: 95, max: 100 });
  expect(spread([])).toEqual({ p50: 0, p95: 0, max: 0 });
});

test('Tells components from functions and passes over callbacks without a name', () => {
  const text = [
    'export function Panel() {',
    '  return <p>Hallo</p>;',
    '}',
    'const double = (n: number) => 2 * n;',
    'class Counter { next() {',
    '  return [1].map((n) => n + 1);',
    '} }',
  ].join('\n');
  expect(functionSizes(parseSource(`${SRC}/web/panel.tsx`, text))).toEqual({
    components: [{ place: `${SRC}/web/panel.tsx Panel`, lines: 3 }],
    functions: [
      { place: `${SRC}/web/panel.tsx double`, lines: 1 },
      { place: `${SRC}/web/panel.tsx next`, lines: 3 },
    ],
  });
});

test('Names lines over 120 columns, counted in characters', () => {
  const line = (columns: number): string => `f(${'ä'.repeat(columns - 4)});`;
  expect(findWide(`${line(120)}\n${line(121)}\n`)).toEqual([`${SRC}/a.ts:2`]);
});

test.each([
  ['a string', `f('${LONG}');`],
  ['a template', `f(\`${LONG}\${a}${LONG}\`);`],
  ['a regular expression', `f(/${LONG}/);`],
  ['an attribute', `export const a = <p className="${LONG}" />;`],
  ['a web address in a comment', `// https://example.org/${LONG}`],
])('Counts the code of a line but not the text in %s', (_what, line) => {
  expect(findWide(line)).toEqual([]);
  const beside = `${line.replace(/;?$/, '')} /* ${LONG} */`;
  if (!line.startsWith('//')) expect(findWide(beside)).toEqual([expect.stringMatching(/a\.tsx?:1$/)]);
});

test('Counts a long comment', () => {
  expect(findWide(`// ${LONG}`)).toEqual([`${SRC}/a.ts:1`]);
});

test.each([
  ['a list of three lines', '// prettier-ignore\nconst A = [\n  1, 2,\n];', []],
  ['a list within a call', '// prettier-ignore\nexport const A = new Set([\n  1,\n  2,\n]);', []],
  ['a list of one line', '// prettier-ignore\nconst A = [1, 2];', [`${SRC}/a.ts:1`]],
  ['a function', '// prettier-ignore\nfunction f() {\n  return [\n    1,\n  ];\n}', [`${SRC}/a.ts:1`]],
  ['a list with statements', '// prettier-ignore\nconst A = [\n  () => { return 1; },\n];', [`${SRC}/a.ts:1`]],
  ['a comment behind its line', 'const A = f(1); // prettier-ignore\n', [`${SRC}/a.ts:1`]],
  ['another comment', '// not for prettier-ignore\nf();', []],
])('Accepts a switched-off formatter before tables of data alone: %s', (_, text, expected) => {
  expect(strayIgnores(parseSource(`${SRC}/a.ts`, text))).toEqual(expected);
});

const CYCLE = [
  parseSource(`${SRC}/web/a.ts`, "import type { B } from '#web/b.ts';\nexport type A = B;"),
  parseSource(`${SRC}/web/b.ts`, "export { c } from './sub/c.ts';\nexport type B = 1;"),
  parseSource(`${SRC}/web/sub/c.ts`, "export const c = () => import('../a.ts');\nimport 'react';"),
  parseSource(`${SRC}/web/d.ts`, "type A = import('./a.ts').A;\nexport type D = A;"),
];

test('Follows types, re-exports, late imports and aliases to a cycle', () => {
  const graph = importGraph(CYCLE, ALIASES);
  expect(importCycles(graph)).toEqual([[`${SRC}/web/a.ts`, `${SRC}/web/b.ts`, `${SRC}/web/sub/c.ts`]]);
  expect(importCycles(importGraph(CYCLE.slice(1), ALIASES))).toEqual([]);
});

test('Names the files that exactly one other file imports', () => {
  expect(singleImporterFiles(importGraph(CYCLE, ALIASES)).toSorted()).toEqual([
    `${SRC}/web/b.ts`,
    `${SRC}/web/sub/c.ts`,
  ]);
});

const RUN = Array.from({ length: 6 }, (_, index) => `const value${index} = compute(${index});`);

test('Finds six lines that stand twice, whatever their white space and comments', () => {
  const one = parseSource(`${SRC}/a.ts`, ["import 'x';", ...RUN, 'f();'].join('\n'));
  const other = parseSource(`${SRC}/b.ts`, ['g();', ...RUN.flatMap((line) => ['', `  ${line} // ${line}`])].join('\n'));
  expect(findDuplicates([one, other])).toEqual([{ one: `${SRC}/a.ts:2-7`, other: `${SRC}/b.ts:3-13`, lines: 6 }]);
});

test('Passes over five lines, and over equal imports', () => {
  const imports = RUN.map((_, index) => `import value${index} from 'x';`);
  const files = [`${SRC}/a.ts`, `${SRC}/b.ts`].map((file) =>
    parseSource(file, [...imports, ...RUN.slice(1)].join('\n')),
  );
  expect(findDuplicates(files)).toEqual([]);
});

test('Finds a run that stands twice in one file', () => {
  expect(findDuplicates([parseSource(`${SRC}/a.ts`, ['{', ...RUN, '}', '{', ...RUN, '}'].join('\n'))])).toEqual([
    { one: `${SRC}/a.ts:2-7`, other: `${SRC}/a.ts:10-15`, lines: 6 },
  ]);
});

test('A value holds its limit, breaks it, or reaches the aim', () => {
  const limit = { limit: 10, aim: 5, better: 'lower' } as const;
  const verdicts = [5, 10, 11].map((value) => judge('lines', value, limit));
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['aim reached', 'within its limit', 'BROKEN']);
  expect(verdicts.map(isBroken)).toEqual([false, false, true]);
  expect(isBroken(judge('ratio', 0.4, { limit: 0.5, aim: 1, better: 'higher' }))).toBe(true);
});

test('Counts the product apart from its tests', () => {
  const sources = [
    parseSource(`${SRC}/backend/rest/a.ts`, 'f();\nf();\n'),
    parseSource(`${SRC}/backend/rest/a.test.ts`, 'f();\n'),
    parseSource(['tests', 'wire', 'rest-a.test.ts'].join('/'), 'f();\nf();\n'),
  ];
  const values = new Map(measureSources(sources, ALIASES).map(({ name, value }) => [name, value]));
  expect(values.get('source files')).toBe(1);
  expect(values.get('source lines')).toBe(2);
  expect(values.get('test lines to source lines, rest')).toBe(1.5);
});

test('A start installs every package that is not for development only', () => {
  const packages = {
    '': {},
    'node_modules/a': {},
    'node_modules/b': { dev: true },
    'node_modules/a/node_modules/c': {},
  };
  expect(startPackages(JSON.stringify({ packages }))).toEqual(['node_modules/a', 'node_modules/a/node_modules/c']);
});
