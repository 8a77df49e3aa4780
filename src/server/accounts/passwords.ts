import { randomInt } from 'node:crypto';

// Without characters that look alike in print.
const LOWER = 'abcdefghjkmnpqrstuvwxyz';
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const DIGITS = '23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A random password for a person to read and type: about 90 bits, with letters of both cases, digits and a dash. */
export function generatePassword(): string {
  const alphabet = LOWER + UPPER + DIGITS;
  for (;;) {
    const groups = Array.from({ length: GROUPS }, () => pickGroup(alphabet));
    const password = groups.join('-');
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}

function pickGroup(alphabet: string): string {
  return Array.from({ length: GROUP_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('');
}
