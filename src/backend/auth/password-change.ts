import { networkOf } from '#http/network.ts';
import type { SignedIn } from './authenticate.ts';
import type { AuthContext } from './context.ts';
import { FAULTS } from './errors.ts';
import { checkPassword, hashPassword, passwordMatches } from './passwords.ts';
import { deleteTokens, lockToken } from './repository/one-time-tokens.ts';
import { amrOf } from './repository/sessions.ts';
import type { Ask } from './route.ts';

const FRESH_SESSION_MS = 24 * 3_600_000;

/** `current`: the password as it is now; empty where it was not told. */
type NewPassword = Readonly<{ password: string; nonce: string; current: string }>;

/** The hash to store. Throws AuthError where the password, or whoever sets it, is not good enough. */
export async function newPasswordHash(ask: Ask<unknown>, me: SignedIn, wish: NewPassword): Promise<string> {
  const { auth } = ask.context;
  await checkPassword(wish.password, ask.context);
  if (auth.email.secure_password_change && isStale(ask, me)) await spendNonce(ask, me, wish.nonce);
  if (auth.security.update_password_require_current_password) await checkCurrent(ask, me, wish.current);
  if (await passwordMatches(wish.password, me.user.encrypted_password)) throw FAULTS.samePassword();
  return hashPassword(wish.password);
}

function isStale({ context }: Ask<unknown>, { session }: SignedIn): boolean {
  return session === undefined || context.now() - session.created_at.getTime() > FRESH_SESSION_MS;
}

/** Of whoever has a password, unless the session was opened by a link or a code. */
async function checkCurrent(ask: Ask<unknown>, { user, session }: SignedIn, current: string): Promise<void> {
  const { context } = ask;
  if ((user.encrypted_password ?? '') === '') return;
  if (session !== undefined && (await isRecovery(context, session.id))) return;
  if (current === '') throw FAULTS.currentPasswordNeeded();
  const right = await slowly(ask, `password ${user.id}`, () => passwordMatches(current, user.encrypted_password));
  if (!right) throw FAULTS.currentPasswordWrong();
}

/** As upstream counts: whatever was opened by something that was sent to the owner. */
const BY_MESSAGE = new Set(['otp', 'magiclink', 'recovery']);

async function isRecovery({ database }: AuthContext, sessionId: string): Promise<boolean> {
  return (await database.asOwner((tx) => amrOf(tx, sessionId))).some(({ method }) => BY_MESSAGE.has(method));
}

/** A session may be stolen: the code from GET /reauthenticate is guessed as slowly as a password. */
async function spendNonce(ask: Ask<unknown>, { user }: SignedIn, nonce: string): Promise<void> {
  if (nonce === '') throw FAULTS.reauthenticationNeeded();
  const valid = await slowly(ask, `nonce ${user.id}`, () => isValid(ask, user, nonce));
  if (!valid) throw FAULTS.reauthenticationInvalid();
}

/** Guessing is slowed down as for a password at the login (decision 0021). */
async function slowly(ask: Ask<unknown>, account: string, attempt: () => Promise<boolean>): Promise<boolean> {
  const network = networkOf(ask.device.address);
  const outcome = await ask.context.guesses.begin({ account, network, isKnown: async () => false });
  if (outcome === undefined) throw FAULTS.rateLimit();
  const right = await attempt().catch((error: unknown) => {
    outcome.withdrawn();
    throw error;
  });
  if (right) outcome.succeeded();
  else outcome.failed();
  return right;
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
