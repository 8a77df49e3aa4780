import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

type Text = Readonly<{ file: string; text: string }>;

const FILES: readonly string[] = globSync('{src,tests,scripts,supabase,docs}/**/*', { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative('.', path.join(entry.parentPath, entry.name)))
  .concat(globSync('*.{md,json,ts}'), ['.oxlintrc.json', '.gitignore']);

const READABLE = /\.(?:tsx?|mjs|sql|md|toml|css|html)$/;
const TEXTS: readonly Text[] = FILES.filter((file) => READABLE.test(file) && !file.endsWith('references.test.ts')).map(
  (file) => ({ file, text: readFileSync(file, 'utf8') }),
);
const DOCS = TEXTS.filter(({ file }) => file.endsWith('.md'));

/** A comment may break the line between a document's name and the section. */
const GAP = String.raw`[\s*/#|-]*`;
const OTHER_STANDARDS = String.raw`RFC \d+|SAML 2\.0 \w+|OpenID Connect \w+|Media Capture and Streams`;
const SECTIONS = new RegExp(
  String.raw`(?:\b(?<standard>${OTHER_STANDARDS})|\b(?<contract>contract))?,?${GAP}§ ?(?<first>\d+(?:\.\d+)*)(?<more>(?:(?:, | and | |–)§\d+(?:\.\d+)*)*)`,
  'g',
);

function headings(files: string, form: RegExp): ReadonlySet<string> {
  const lines = globSync(files).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return new Set(lines.flatMap((line) => form.exec(line)?.[1] ?? []));
}

const SPECIFIED = headings('docs/specification{.md,/*.md}', /^#+ §(\d+(?:\.\d+)*) /);
const CONTRACTED = headings('docs/supabase-contract.md', /^#+ contract §(\d+(?:\.\d+)*) /);
const RULED = headings('docs/specification/rulings.md', /^### D(\d+) /);
const DECIDED = new Set(globSync('docs/decisions/*.md').map((file) => path.basename(file).slice(0, 4)));
const THREATS = headings('docs/security.md', /^\| (\d+) \| /);

function holding(sign: string): readonly Text[] {
  return TEXTS.filter(({ text }) => text.includes(sign));
}

/** `file:line: what` of each match that `accepts` refuses. */
function refused(texts: readonly Text[], form: RegExp, accepts: (match: RegExpExecArray, file: string) => boolean) {
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(form)]
      .filter((match) => !accepts(match, file))
      .map((match) => `${file}:${text.slice(0, match.index).split('\n').length}: ${match[0].trim()}`),
  );
}

function getSections({ groups = {} }: RegExpExecArray): string[] {
  return [groups['first'] ?? '', ...(groups['more'] ?? '').matchAll(/\d+(?:\.\d+)*/g)].map(String);
}

test.each([
  ['the specification', SPECIFIED, ['1', '2.1', '2.13', '9']],
  ['the contract', CONTRACTED, ['0', '1.7', '2.3', '3.4']],
  ['the rulings', RULED, ['1', '22']],
  ['the decisions', DECIDED, ['0001', '0205']],
  ['the threats', THREATS, ['1', '21']],
])('Finds %s, from the first to the last', (_document, found, some) => {
  expect([...found]).toEqual(expect.arrayContaining(some));
});

test('Each cited section exists in the specification or in the contract', () => {
  const exists = (match: RegExpExecArray): boolean => {
    if (match.groups?.['standard'] !== undefined) return true;
    const known = match.groups?.['contract'] === undefined ? SPECIFIED : CONTRACTED;
    return getSections(match).every((section) => known.has(section));
  };
  expect(refused(holding('§'), SECTIONS, exists)).toEqual([]);
});

/** The words of each section of the specification, without marks and line breaks. */
const WORDS = new Map(
  globSync('docs/specification{.md,/*.md}').flatMap((file) =>
    [...`\n${readFileSync(file, 'utf8')}`.matchAll(/\n#+ §(\d+(?:\.\d+)*) ([\s\S]*?)(?=\n#+ §|$(?![\s\S]))/g)].map(
      ([, section = '', words = '']) => [section, plain(words)] as const,
    ),
  ),
);

function plain(words: string): string {
  return words.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').toLowerCase();
}

test('What is quoted from a section stands in it', () => {
  const quoted = /(?<!contract )(?<!\d )§(\d+(?:\.\d+)*) '([^'\n]{3,}?)'(?!\w)/g;
  const stands = ([, section = '', words = '']: RegExpExecArray): boolean =>
    WORDS.get(section)?.includes(plain(words).replace(/[,.]$/, '')) === true;
  const comments = TEXTS.filter(({ file }) => !file.startsWith('docs/specification'));
  expect(refused(comments, quoted, stands)).toEqual([]);
});

test('The backend cites its contract, never sections or rulings of the product', () => {
  const backend = TEXTS.filter(({ file }) => file.startsWith('src/backend/'));
  const foreign = ({ groups = {} }: RegExpExecArray): boolean =>
    groups['standard'] !== undefined || groups['contract'] !== undefined;
  expect(refused(backend, SECTIONS, foreign)).toEqual([]);
  expect(refused(backend, /\bD\d{1,2}\b/g, () => false)).toEqual([]);
});

test('Tests of the services name the contract where product and contract have a section of that number', () => {
  const services = TEXTS.filter(({ file }) => /^(?:src\/http|tests\/wire)\//.test(file));
  const named = (match: RegExpExecArray): boolean =>
    match.groups?.['standard'] !== undefined ||
    match.groups?.['contract'] !== undefined ||
    getSections(match).every((section) => !section.includes('.') || !CONTRACTED.has(section));
  expect(refused(services, SECTIONS, named)).toEqual([]);
});

test('Each cited ruling exists', () => {
  expect(refused(TEXTS, /\bD(\d{1,3})\b/g, ([, number = '']) => RULED.has(number))).toEqual([]);
});

test('Each cited decision exists', () => {
  const exists = ([, number = '']: RegExpExecArray): boolean => DECIDED.has(number);
  expect(refused(TEXTS, /\bdecisions?[\s*/(-]+(\d{4})\b/gi, exists)).toEqual([]);
  expect(refused(DOCS, /(?<![\d.:-])\b(0[0-2]\d\d)\b(?![_-])/g, exists)).toEqual([]);
});

test('Each cited threat is a row of docs/security.md', () => {
  const cited = /\b(?:threats?|security(?:\.md)? row) (\d+)\b/gi;
  expect(refused(TEXTS, cited, ([, number = '']) => THREATS.has(number))).toEqual([]);
});

test('Each cited path exists', () => {
  const parts = FILES.map((file) => file.split('/'));
  const known = new Set(parts.flatMap((part) => part.map((_, at) => part.slice(at).join('/'))));
  // A project folder may have a seed.sql; this one has none.
  const ends = (name: string): boolean => known.has(name) || name === 'seed.sql';
  const rooted = /(?<![\w./@#-])(?:src|tests|scripts|supabase|docs)\/[\w./$-]*[\w/](?![\w*{$-])/g;
  expect(refused(TEXTS, rooted, ([name]) => existsSync(name))).toEqual([]);
  const pattern = /(?<![\w./@#'*-])(?:src|tests|scripts|supabase|docs)\/[\w./-]*\*(?:[\w./*-]*[\w*])?/g;
  expect(refused(TEXTS, pattern, ([name]) => globSync(name).length > 0)).toEqual([]);
  expect(
    refused(holding('.md'), /(?<![\w./*-])[\w-][\w./-]*\.md\b/g, ([name]) => existsSync(name) || ends(name)),
  ).toEqual([]);
  expect(refused(DOCS, /(?<=`)[\w-][\w./-]*\.(?:tsx?|sql|mjs)(?=`)/g, ([name]) => ends(name))).toEqual([]);
  const comments = TEXTS.map(({ file, text }) => ({
    file,
    text: text.replaceAll(/^(?!\s*(?:\/\*\*|\*|\/\/|--)\s).*$/gm, ''),
  }));
  const source = /(?<![\w./*-])[\w-][\w./-]*\.(?:tsx?|sql|mjs)\b/g;
  expect(refused(comments, source, ([name]) => ends(name))).toEqual([]);
});

test('Each link between documents leads to a file and a heading', () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
  const leads = ([, target = '', anchor]: RegExpExecArray, file: string): boolean => {
    const to = target === '' ? file : path.join(path.dirname(file), target);
    if (!existsSync(to) || anchor === undefined) return existsSync(to);
    const titles = readFileSync(to, 'utf8').matchAll(/^#+ (.*)$/gm);
    return [...titles].some(([, title = '']) => slug(title) === anchor);
  };
  expect(refused(DOCS, /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]*))?\)/g, leads)).toEqual([]);
});

/** Numbers of issues lead nowhere: the tracker is no part of the repository. */
const ISSUES = /\bissues?[ -]#?\d+|\(#\d+\)|\b(?:closes|fixes|see) #\d+/gi;

test('No number of an issue is cited', () => {
  expect(refused(TEXTS, ISSUES, () => false)).toEqual([]);
});
