import { readFileSync } from 'node:fs';
import { toNetwork } from '#http/network.ts';
import type { SignedIn } from './authenticate.ts';
import type { AuthContext } from './context.ts';
import { ERRORS, invalid, weakPassword, type WeakPasswordReason } from './errors.ts';
import { KNOWN_ADDRESS_HASHER } from './hashing.ts';
import { throttleAttempt } from './limits/login-throttle.ts';
import { deleteTokens, lockToken } from './repository/one-time-tokens.ts';
import { findAmr } from './repository/sessions.ts';
import type { RequestContext } from './route.ts';

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

export function hashPassword(password: string, hasher = KNOWN_ADDRESS_HASHER): Promise<string> {
  return hasher.hash(password);
}

/** Takes the same time with and without a stored hash, so that the time does not reveal whether an account exists. */
export async function passwordMatches(
  password: string,
  stored: string | null | undefined,
  hasher = KNOWN_ADDRESS_HASHER,
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

const FRESH_SESSION_MS = 24 * 3_600_000;

/** `current`: the present password; empty where the request has none. */
type NewPassword = Readonly<{ password: string; nonce: string; current: string }>;

/** Checks that the session may set this password and returns its hash. Throws AuthError. */
export async function authorizePasswordChange(
  input: RequestContext<unknown>,
  me: SignedIn,
  change: NewPassword,
): Promise<string> {
  const { auth } = input.context;
  await validatePassword(change.password, input.context);
  if (auth.email.secure_password_change && isStale(input, me)) await takeNonce(input, me, change.nonce);
  if (auth.security.update_password_require_current_password) await requireCurrentPassword(input, me, change.current);
  if (await passwordMatches(change.password, me.user.encrypted_password)) throw ERRORS.samePassword();
  return hashPassword(change.password);
}

function isStale({ context }: RequestContext<unknown>, { session }: SignedIn): boolean {
  return session === undefined || context.now() - session.created_at.getTime() > FRESH_SESSION_MS;
}

/** Requires the present password of an account that has one, unless a link or a code opened the session. */
async function requireCurrentPassword(
  input: RequestContext<unknown>,
  { user, session }: SignedIn,
  current: string,
): Promise<void> {
  const { context } = input;
  if ((user.encrypted_password ?? '') === '') return;
  if (session !== undefined && (await isRecovery(context, session.id))) return;
  if (current === '') throw ERRORS.currentPasswordNeeded();
  const right = await throttle(input, `password ${user.id}`, () => passwordMatches(current, user.encrypted_password));
  if (!right) throw ERRORS.currentPasswordWrong();
}

/** Login methods that use a message to the owner, as upstream counts them. */
const BY_MESSAGE = new Set(['otp', 'magiclink', 'recovery']);

async function isRecovery({ database }: AuthContext, sessionId: string): Promise<boolean> {
  return (await database.asOwner((tx) => findAmr(tx, sessionId))).some(({ method }) => BY_MESSAGE.has(method));
}

/** A session may be stolen, so the code from GET /reauthenticate is throttled like a password. */
async function takeNonce(input: RequestContext<unknown>, { user }: SignedIn, nonce: string): Promise<void> {
  if (nonce === '') throw ERRORS.reauthenticationNeeded();
  const valid = await throttle(input, `nonce ${user.id}`, () => verifyNonce(input, user, nonce));
  if (!valid) throw ERRORS.reauthenticationInvalid();
}

/** Throttles guesses as at the login (decision 0021). */
function throttle(input: RequestContext<unknown>, account: string, attempt: () => Promise<boolean>): Promise<boolean> {
  const network = toNetwork(input.device.address);
  return throttleAttempt(input.context.loginThrottle, { account, network }, attempt, (right) =>
    right ? 'succeed' : 'fail',
  );
}

function verifyNonce({ context }: RequestContext<unknown>, user: SignedIn['user'], nonce: string): Promise<boolean> {
  const { codes, auth, now } = context;
  const byMail = user.email !== null && user.email !== '';
  const seconds = byMail ? auth.email.otp_expiry : auth.sms.otp_expiry;
  const hash = codes.hash((byMail ? user.email : user.phone) ?? '', nonce);
  return context.database.asOwner(async (tx) => {
    const token = await lockToken(tx, [hash], ['reauthentication_token']);
    if (token?.user_id !== user.id || now() > token.created_at.getTime() + seconds * 1_000) return false;
    await deleteTokens(tx, user.id);
    return true;
  });
}
