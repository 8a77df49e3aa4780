import { readFileSync } from 'node:fs';

const FILE = new URL('common-passwords.txt', import.meta.url);

let known: ReadonlySet<string> | undefined;

/** Whether it is one of the passwords that are tried first, in whatever case (ASVS 6.2.4). */
export function isCommonPassword(password: string): boolean {
  known ??= new Set(readFileSync(FILE, 'utf8').split('\n').filter(isWord));
  return known.has(password.toLowerCase());
}

function isWord(line: string): boolean {
  return line !== '' && !line.startsWith('# ');
}
