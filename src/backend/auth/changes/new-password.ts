import type { SignedIn } from '../authenticate.ts';
import { networkOf } from '../addresses.ts';
import type { Ask } from '../call.ts';
import { FAULTS } from '../errors.ts';
import { checkPassword, hashPassword, passwordMatches } from '../passwords.ts';
import { deleteTokens, lockToken } from '../records/one-time-tokens.ts';

const FRESH_SESSION_MS = 24 * 3_600_000;

export type NewPassword = Readonly<{ password: string; nonce: string }>;

/** The hash to store. Throws AuthError where the password, or whoever sets it, is not good enough. */
export async function newPasswordHash(ask: Ask<unknown>, me: SignedIn, wish: NewPassword): Promise<string> {
  const { auth } = ask.context;
  checkPassword(wish.password, auth);
  if (auth.email.secure_password_change && isStale(ask, me)) await spendNonce(ask, me, wish.nonce);
  if (await passwordMatches(wish.password, me.user.encrypted_password)) throw FAULTS.samePassword();
  return hashPassword(wish.password);
}

function isStale({ context }: Ask<unknown>, { session }: SignedIn): boolean {
  return session === undefined || context.now() - session.created_at.getTime() > FRESH_SESSION_MS;
}

/** A session may be stolen: the code from GET /reauthenticate is guessed as slowly as a password. */
async function spendNonce(ask: Ask<unknown>, { user }: SignedIn, nonce: string): Promise<void> {
  if (nonce === '') throw FAULTS.reauthenticationNeeded();
  const outcome = await ask.context.guesses.begin({
    account: `nonce ${user.id}`,
    network: networkOf(ask.device.address),
    isKnown: async () => false,
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  const valid = await isValid(ask, user, nonce).catch((error: unknown) => {
    outcome.withdrawn();
    throw error;
  });
  if (valid) return outcome.succeeded();
  outcome.failed();
  throw FAULTS.reauthenticationInvalid();
}

function isValid({ context }: Ask<unknown>, user: SignedIn['user'], nonce: string): Promise<boolean> {
  const { codes, auth, now } = context;
  const byMail = user.email !== null && user.email !== '';
  const seconds = byMail ? auth.email.otp_expiry : auth.sms.otp_expiry;
  const hash = codes.hashOf((byMail ? user.email : user.phone) ?? '', nonce);
  return context.database.asOwner(async (tx) => {
    const token = await lockToken(tx, [hash], ['reauthentication_token']);
    if (token?.user_id !== user.id || now() > token.created_at.getTime() + seconds * 1_000) return false;
    await deleteTokens(tx, user.id);
    return true;
  });
}
