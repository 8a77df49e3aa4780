import { toNetwork } from '#http/network.ts';
import type { SignedIn } from './authenticate.ts';
import type { AuthContext } from './context.ts';
import { ERRORS } from './errors.ts';
import { throttleAttempt } from './limits/login-throttle.ts';
import { validatePassword, hashPassword, passwordMatches } from './passwords.ts';
import { deleteTokens, lockToken } from './repository/one-time-tokens.ts';
import { findAmr } from './repository/sessions.ts';
import type { RequestContext } from './route.ts';

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
