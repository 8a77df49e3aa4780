import { networkOf } from '../addresses.ts';
import { isBanned } from '../authenticate.ts';
import type { Ask } from '../call.ts';
import { FAULTS, invalid } from '../errors.ts';
import { passwordMatches } from '../passwords.ts';
import { audit, hasDone } from '../records/audit.ts';
import { findUserByEmail, type UserRow } from '../records/users.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

/**
 * Opens a session for an e-mail address and its password. An unknown address, an account without a password and a wrong
 * password cost the same work and get the same answer; only who knows the password hears that an account is banned.
 */
export async function passwordGrant(ask: Ask<TokenBody>): Promise<SessionJson> {
  const { context, body, device } = ask;
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on login.');
  }
  if (body.phone !== '') throw FAULTS.phoneLoginsDisabled();
  if (body.email === '') throw invalid('missing email or phone');
  if (!context.auth.email.enable_signup) throw FAULTS.emailLoginsDisabled();
  const email = body.email.toLowerCase();
  const outcome = await context.guesses.begin({
    account: email,
    network: networkOf(device.address),
    isKnown: () => isKnown(ask, email),
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  let user: UserRow | undefined;
  try {
    user = await checked(ask, email);
  } catch (error) {
    outcome.withdrawn();
    throw error;
  }
  if (user === undefined) {
    outcome.failed();
    throw FAULTS.invalidCredentials();
  }
  return enter(ask, user).finally(() => outcome.succeeded());
}

async function checked({ context, body, device, at }: Ask<TokenBody>, email: string): Promise<UserRow | undefined> {
  const user = await context.database.asOwner((tx) => findUserByEmail(tx, email));
  if (await passwordMatches(body.password, user?.encrypted_password)) return user;
  const entry = { action: 'login_failed', actorId: user?.id, address: device.address, at } as const;
  await context.database.asOwner((tx) => audit(tx, entry));
  return undefined;
}

async function enter({ context, device }: Ask<TokenBody>, user: UserRow): Promise<SessionJson> {
  if (isBanned(user, context.now())) throw FAULTS.bannedLogin();
  if (user.email_confirmed_at === null) throw FAULTS.emailNotConfirmed();
  return context.database.asOwner((tx) => openSession(context, tx, { user, method: 'password', device }));
}

function isKnown({ context, device }: Ask<TokenBody>, email: string): Promise<boolean> {
  return context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    return user !== undefined && device.address !== undefined && (await hasDone(tx, user.id, 'login', device.address));
  });
}
