import { readFileSync } from 'node:fs';
import type { AuthContext } from './context.ts';
import { invalid, weakPassword, type WeakPasswordReason } from './errors.ts';
import { KNOWN_NETWORK_HASHER } from './hashing.ts';

/** bcrypt ignores further bytes: passwords that differ later would be equal. */
const MAX_BYTES = 72;
// The hash of no real password, as costly to compare as a real one.
const DUMMY = '$2b$10$DW45Z4ZhesRRugSFGWzhbehUqkc7udM/GT7P4N4LkNi19A.bon94G';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';

const REQUIREMENTS: Readonly<Record<AuthContext['auth']['password_requirements'], readonly string[]>> = {
  '': [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
};

export function hashPassword(password: string, hasher = KNOWN_NETWORK_HASHER): Promise<string> {
  return hasher.hash(password);
}

/** Takes the same time with and without a stored hash, so that the time does not reveal whether an account exists. */
export async function passwordMatches(
  password: string,
  stored: string | null | undefined,
  hasher = KNOWN_NETWORK_HASHER,
): Promise<boolean> {
  const isComparable = stored !== null && stored !== undefined && stored !== '';
  const matches = await hasher.verify(password, isComparable ? stored : DUMMY);
  return matches && isComparable && Buffer.byteLength(password) <= MAX_BYTES;
}

/** The weaknesses of a password, in upstream's words. */
export type Weakness = Readonly<{ message: string; reasons: readonly WeakPasswordReason[] }>;

export type PasswordRules = Pick<AuthContext, 'auth' | 'leaked'>;

/** Throws AuthError `validation_failed` (> 72 bytes) or `weak_password` with its reasons. */
export async function validatePassword(password: string, rules: PasswordRules): Promise<void> {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw invalid(`Password cannot be longer than ${MAX_BYTES} characters`);
  }
  const weakness = await findWeakness(password, rules);
  if (weakness !== undefined) throw weakPassword(weakness.message, weakness.reasons);
}

/**
 * Returns undefined for a strong password. Throws AuthError where the check for leaked passwords fails and must not be
 * skipped.
 */
export async function findWeakness(password: string, { auth, leaked }: PasswordRules): Promise<Weakness | undefined> {
  const weaknesses: { reason: WeakPasswordReason; message: string }[] = [];
  if (password.length < auth.minimum_password_length) {
    const message = `Password should be at least ${auth.minimum_password_length} characters.`;
    weaknesses.push({ reason: 'length', message });
  }
  const sets = REQUIREMENTS[auth.password_requirements];
  if (sets.some((set) => !Array.from(set).some((character) => password.includes(character)))) {
    const message = `Password should contain at least one character of each: ${sets.join(', ')}.`;
    weaknesses.push({ reason: 'characters', message });
  }
  if (
    (auth.password.refuse_common && isCommonPassword(password)) ||
    isMadeOfWords(password, auth.password.context_words) ||
    (await leaked(password))
  ) {
    const message = 'Password is known to be weak and easy to guess, please choose a different one.';
    weaknesses.push({ reason: 'pwned', message });
  }
  if (weaknesses.length === 0) return undefined;
  return { message: weaknesses.map((item) => item.message).join(' '), reasons: weaknesses.map((item) => item.reason) };
}

const FILE = new URL('common-passwords.txt', import.meta.url);

let commonPasswords: ReadonlySet<string> | undefined;

/** Whether the password, in any case, is on the list of common passwords (ASVS 6.2.4). */
function isCommonPassword(password: string): boolean {
  commonPasswords ??= new Set(readFileSync(FILE, 'utf8').split('\n').filter(isWord));
  return commonPasswords.has(password.toLowerCase());
}

function isWord(line: string): boolean {
  return line !== '' && !line.startsWith('# ');
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const MIN_OTHER_LETTERS = 4;

/**
 * Whether the password is one of the words, or several, with hardly a letter beside them (ASVS 6.2.11). Digits and
 * signs that look like letters are read as those, too.
 */
function isMadeOfWords(password: string, words: readonly string[]): boolean {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const asWritten = password.toLowerCase();
  return [asWritten, asWritten.replaceAll(/[01345$7@!]/g, (sign) => LOOK_ALIKES[sign] ?? sign)].some((text) => {
    const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), text);
    return rest !== text && (rest.match(/\p{L}/gu) ?? []).length < MIN_OTHER_LETTERS;
  });
}
