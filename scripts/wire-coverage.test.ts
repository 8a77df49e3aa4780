import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** The page names tests by file: in `tests/wire` without a folder, browser tests as `e2e/…`, others by their path. */
function getPlaces(name: string): string[] {
  if (/^(?:src|tests)\//.test(name)) return [name];
  return [`tests/wire/${name}.test.ts`, `tests/${name}.spec.ts`, `tests/${name}.test.ts`];
}

type Row = Readonly<{ file: string; call: string; cells: readonly string[] }>;

/** Rows of a page's tables, without heads. */
function getRows(file: string): Row[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const rows = lines.filter((line, index) => line.startsWith('|') && !/^\|[-| ]+\|$/.test(lines[index + 1] ?? ''));
  return rows
    .filter((line) => !/^\|[-| ]+\|$/.test(line))
    .map((line) => {
      const [call = '', ...cells] = line
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      return { file, call, cells };
    });
}

const PAGES = ['docs/wire-coverage.md', ...globSync('docs/wire-coverage/*.md')];

test('docs/wire-coverage.md names only tests that exist', async () => {
  const page = await readFile('docs/wire-coverage.md', 'utf8');
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|')[2] ?? '');
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? ''));
  const tests = names.filter((name) => !['tests/wire', 'unsupported_grant_type'].includes(name));
  expect(tests.length).toBeGreaterThan(30);
  expect(tests.filter((name) => !getPlaces(name).some((place) => existsSync(place)))).toEqual([]);
});

test.each(PAGES)('%s: no cell is empty', (file) => {
  const rows = getRows(file);
  expect(rows.length).toBeGreaterThan(5);
  const tested = rows.map((row) => ({ ...row, test: row.cells.at(-1) ?? '' }));
  expect(tested.filter(({ call, test: named }) => call === '' || /^(?:|–|-|none.*)$/i.test(named))).toEqual([]);
});

/** §7 'Authentication', line by line. */
const CALLS = [
  'POST /signup',
  'POST /token password',
  'pkce · id_token',
  'password · refresh_token',
  'POST /otp',
  'POST /verify',
  'POST /sso',
  'GET /reauthenticate',
  'POST /resend',
  'GET /user',
  'PUT /user',
  'POST /recover',
  'GET /authorize',
  'GET /user/identities/authorize',
  'DELETE /user/identities/{identity_id}',
  'POST /factors',
  'DELETE /factors/{id}',
  'challenge, verify',
  'GET /.well-known/jwks.json',
  'POST /logout',
  // Beside §7.
  '/settings, /health',
  'anonymous',
  '/sso/saml/metadata',
  '/callback',
  'admin factors',
  '/admin/users',
  '/invite',
  '/admin/generate_link',
  '/admin/sso/providers',
  'captcha',
  'rate limits',
  'session limits',
  'password rules',
  'audit log',
  'malformed bodies',
  'key rotation',
  'threat 12',
  'threat 13',
  'threat 14',
  'threat 15',
  'threat 16',
  'threat 18',
  'threat 19',
];

test.each(CALLS)('%s has a row with its tests (§7)', (call) => {
  const rows = getRows('docs/wire-coverage.md').filter((row) => row.call.includes(call));
  expect(rows.flatMap(({ cells }) => [...(cells[0] ?? '').matchAll(/`[\w./-]+`/g)]).length).toBeGreaterThan(0);
});

describe('docs/wire-coverage/auth.md', () => {
  const rows = getRows('docs/wire-coverage/auth.md');
  const parts = rows.flatMap(({ call, cells }) => (cells[0] ?? '').split(' · ').map((part) => ({ call, part })));
  const filesIn = (part: string): string[] =>
    [...part.matchAll(/\b(?:auth|accounts)-[a-z-]+(?![\w`.…])/g)].map(([name]) => name);

  test('every test it names has that title', () => {
    const missing = parts.flatMap(({ call, part }) => {
      const sources = filesIn(part).map((name) => readFileSync(`tests/wire/${name}.test.ts`, 'utf8'));
      const titles = [...part.matchAll(/`([^`]+)`/g)]
        .map(([, title]) => title ?? '')
        .filter((title) => !/\.ts$|^npm /.test(title));
      const fragments = titles.flatMap((title) =>
        title
          .split('…')
          .map((piece) => piece.trim())
          .filter((piece) => piece !== ''),
      );
      // One title for several files is in each of them.
      const isThere = (piece: string): boolean =>
        titles.length === 1
          ? sources.every((source) => source.includes(piece))
          : sources.some((source) => source.includes(piece));
      return fragments.filter((piece) => !isThere(piece)).map((piece) => [call, piece]);
    });
    expect(missing).toEqual([]);
  });

  test('every file of tests about it is named', () => {
    const named = new Set(parts.flatMap(({ part }) => filesIn(part)));
    const files = globSync('tests/wire/auth-*.test.ts').map((file) => path.basename(file, '.test.ts'));
    expect(files.filter((name) => !named.has(name))).toEqual([]);
  });

  test('none of them is left out of a run', () => {
    const files = globSync('tests/wire/auth-*.test.ts');
    expect(files.filter((file) => /\.(?:skip|todo|only|skipIf|runIf)\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
