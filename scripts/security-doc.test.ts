import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGE = readFileSync('docs/security.md', 'utf8');

/**
 * The requirements of level 1 and 2 in ASVS 5.0.0, and three of level 3 (5.2.4, 5.2.6, 6.3.8), by `chapter.section`.
 */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  '1.1': [1, 2],
  '1.2': [1, 2, 3, 4, 5, 6, 7, 8, 9],
  '1.3': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  '1.4': [1, 2, 3],
  '1.5': [1, 2],
  '2.1': [1, 2, 3],
  '2.2': [1, 2, 3],
  '2.3': [1, 2, 3, 4],
  '2.4': [1],
  '3.2': [1, 2],
  '3.3': [1, 2, 3, 4],
  '3.4': [1, 2, 3, 4, 5, 6],
  '3.5': [1, 2, 3, 4, 5],
  '3.7': [1, 2],
  '4.1': [1, 2, 3],
  '4.2': [1],
  '4.3': [1, 2],
  '4.4': [1, 2, 3, 4],
  '5.1': [1],
  '5.2': [1, 2, 3, 4, 6],
  '5.3': [1, 2],
  '5.4': [1, 2, 3],
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '6.3': [1, 2, 3, 4, 8],
  '6.4': [1, 2, 3, 4],
  '6.5': [1, 2, 3, 4, 5],
  '6.6': [1, 2, 3],
  '6.8': [1, 2, 3, 4],
  '7.1': [1, 2, 3],
  '7.2': [1, 2, 3, 4],
  '7.3': [1, 2],
  '7.4': [1, 2, 3, 4, 5],
  '7.5': [1, 2],
  '7.6': [1, 2],
  '8.1': [1, 2],
  '8.2': [1, 2, 3],
  '8.3': [1],
  '8.4': [1],
  '9.1': [1, 2, 3],
  '9.2': [1, 2, 3, 4],
  '10.1': [1, 2],
  '10.2': [1, 2],
  '10.3': [1, 2, 3, 4],
  '10.4': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  '10.5': [1, 2, 3, 4, 5],
  '10.6': [1, 2],
  '10.7': [1, 2, 3],
  '11.1': [1, 2],
  '11.2': [1, 2, 3],
  '11.3': [1, 2, 3],
  '11.4': [1, 2, 3, 4],
  '11.5': [1],
  '11.6': [1],
  '12.1': [1, 2, 3],
  '12.2': [1, 2],
  '12.3': [1, 2, 3, 4],
  '13.1': [1],
  '13.2': [1, 2, 3, 4, 5],
  '13.3': [1, 2],
  '13.4': [1, 2, 3, 4, 5],
  '14.1': [1, 2],
  '14.2': [1, 2, 3, 4],
  '14.3': [1, 2, 3],
  '15.1': [1, 2, 3],
  '15.2': [1, 2, 3],
  '15.3': [1, 2, 3, 4, 5, 6, 7],
  '16.1': [1],
  '16.2': [1, 2, 3, 4, 5],
  '16.3': [1, 2, 3, 4],
  '16.4': [1, 2, 3],
  '16.5': [1, 2, 3],
  '17.1': [1],
  '17.2': [1, 2, 3, 4],
  '17.3': [1, 2],
};

type Row = Readonly<{ number: string; level: string; state: string; how: string; shownBy: string }>;

const ROWS: readonly Row[] = PAGE.split('\n')
  .filter((line) => /^\| \d+\.\d+\.\d+ +\|/.test(line))
  .map((line) => {
    const [number = '', level = '', , state = '', how = '', shownBy = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { number, level, state, how, shownBy };
  });

test('Every requirement of ASVS level 1 and 2 has exactly one row', () => {
  const wanted = Object.entries(REQUIREMENTS).flatMap(([section, numbers]) => numbers.map((n) => `${section}.${n}`));
  expect(ROWS.map(({ number }) => number).toSorted()).toEqual(wanted.toSorted());
});

test('Every row has a known state, says how or why, and is met only with something to show for it', () => {
  const states = new Set(['met', 'partly', 'not met', 'operator', 'n/a']);
  expect(ROWS.filter(({ state }) => !states.has(state))).toEqual([]);
  expect(ROWS.filter(({ how }) => how === '')).toEqual([]);
  expect(ROWS.filter(({ state, shownBy }) => state === 'met' && !shownBy.includes('`'))).toEqual([]);
});

test('The counts are those of the rows', () => {
  for (const state of new Set(ROWS.map((row) => row.state))) {
    const of = (level: string): number => ROWS.filter((row) => row.state === state && row.level === level).length;
    const [one, two] = [of('1'), of('2')];
    const cells = PAGE.split('\n')
      .find((line) => line.startsWith(`| ${state} `))
      ?.split('|')
      .map((cell) => cell.trim());
    expect(cells?.slice(1, 5)).toEqual([state, String(one), String(two), String(one + two)]);
  }
});

test('Every file the page names exists', () => {
  const named = [...PAGE.matchAll(/`((?:src|tests|docs|scripts|supabase)\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('No row of a table names a file twice', () => {
  const rows = PAGE.split('\n').filter((line) => line.startsWith('|'));
  const repeated = rows.flatMap((row) => {
    const files = [...row.matchAll(/`((?:src|tests)\/[\w./-]+)`/g)].map(([, file]) => file);
    return files.filter((file, index) => files.indexOf(file) !== index);
  });
  expect(repeated).toEqual([]);
});

test('Every threat and every fault names a test', () => {
  const of = (title: string): string[] => {
    const section = PAGE.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
    return section
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2);
  };
  expect(of('Threats').length).toBe(21);
  expect(
    [...of('Threats'), ...of('Faults')].filter((line) => !line.includes('`tests/') && !line.includes('`src/')),
  ).toEqual([]);
});

/** Algorithms as calls and tokens name them, in the names of the page: `sha256` and `'HS256'`, `aes-256-gcm`. */
function findAlgorithms(): string[] {
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file));
  const code = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const hashes = [...code.matchAll(/create(?:Hash|Hmac)\('(\w+)'/g)].map(([, name = '']) => name);
  const ciphers = [...code.matchAll(/'((?:aes|chacha)[\d\w-]*-(?:gcm|cbc|ctr|poly1305))'/g)].map(
    ([, name = '']) => name,
  );
  const signatures = [...code.matchAll(/'((?:HS|RS|PS|ES)\d{3}|EdDSA)'/g)].map(([, name = '']) => name);
  const others = ['hkdf', 'pbkdf2', 'scrypt', 'bcrypt', 'ecdh'].filter(
    (name) => code.includes(`${name}Sync(`) || code.includes(`/${name}'`),
  );
  return [...new Set([...hashes, ...ciphers, ...signatures, ...others])];
}

test('The inventory of cryptography names every algorithm of the sources (ASVS 11.1.2)', () => {
  const inventory = PAGE.split('## Keys and algorithms\n')[1]?.split('\n## ')[0] ?? '';
  const plain = inventory.toLowerCase().replaceAll('-', '');
  const found = findAlgorithms();
  expect(found.length).toBeGreaterThan(8);
  const isNamed = (name: string): boolean =>
    plain.includes(name.toLowerCase().replaceAll('-', '')) ||
    // 'AES of 128, 192 or 256 bits, GCM or CBC'
    (/^aes(?:128|192|256)-(?:gcm|cbc)$/.test(name) && /AES of 128, 192 or 256 bits, GCM or CBC/.test(inventory)) ||
    // 'RS, PS and ES at 256, 384 or 512 bits'
    (/^(?:RS|PS|ES)\d{3}$/.test(name) && /RS, PS and ES at 256, 384 or\s512 bits/.test(inventory));
  expect(found.filter((name) => !isNamed(name))).toEqual([]);
});

test('What is met in part or not at all stands in a decision (ASVS)', () => {
  const decision = readFileSync('docs/decisions/0176-requirements-unmet-on-purpose.md', 'utf8');
  const open = ROWS.filter(({ state }) => state === 'not met' || state === 'partly').map(({ number }) => number);
  const reasoned = new Set([...decision.matchAll(/\d+\.\d+\.\d+/g)].map(([number]) => number));
  expect(open.filter((number) => !reasoned.has(number))).toEqual([]);
  expect([...reasoned].filter((number) => !open.includes(number))).toEqual([]);
});
