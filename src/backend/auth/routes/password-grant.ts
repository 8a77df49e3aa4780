import { networkOf } from '#http/network.ts';
import type { Tx } from '../../database/index.ts';
import { barePhone } from '../addresses.ts';
import { isBanned } from '../authenticate.ts';
import { FAULTS, invalid } from '../errors.ts';
import { passwordMatches, weaknessOf, type Weakness } from '../passwords.ts';
import { audit, hasDone } from '../repository/audit.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../repository/users.ts';
import type { Ask } from '../route.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

type Login = Readonly<{ kind: 'email' | 'phone'; name: string }>;

/**
 * Opens a session for an e-mail address or phone number and its password. An unknown one, an account without a password
 * and a wrong password cost the same work and get the same answer; only who knows the password hears that an account is
 * banned.
 */
export async function passwordGrant(ask: Ask<TokenBody>): Promise<SessionJson> {
  const { context, device } = ask;
  const login = loginOf(ask);
  const outcome = await context.guesses.begin({
    account: login.name,
    network: networkOf(device.address),
    isKnown: () => isKnown(ask, login),
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  let user: UserRow | undefined;
  try {
    user = await checked(ask, login);
  } catch (error) {
    outcome.withdrawn();
    throw error;
  }
  if (user === undefined) {
    outcome.failed();
    throw FAULTS.invalidCredentials();
  }
  return enter(ask, user, login.kind).finally(() => outcome.succeeded());
}

function loginOf({ context: { auth }, body }: Ask<TokenBody>): Login {
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on login.');
  }
  if (body.phone !== '') {
    if (!auth.sms.enable_signup) throw FAULTS.phoneLoginsDisabled();
    return { kind: 'phone', name: barePhone(body.phone) };
  }
  if (body.email === '') throw invalid('missing email or phone');
  if (!auth.email.enable_signup) throw FAULTS.emailLoginsDisabled();
  return { kind: 'email', name: body.email.toLowerCase() };
}

function find(tx: Tx, { kind, name }: Login): Promise<UserRow | undefined> {
  return kind === 'email' ? findUserByEmail(tx, name) : findUserByPhone(tx, name);
}

async function checked({ context, body, device, at }: Ask<TokenBody>, login: Login): Promise<UserRow | undefined> {
  const user = await context.database.asOwner((tx) => find(tx, login));
  if (await passwordMatches(body.password, user?.encrypted_password)) return user;
  const entry = { action: 'login_failed', actorId: user?.id, address: device.address, at } as const;
  await context.database.asOwner((tx) => audit(tx, entry));
  return undefined;
}

type Entered = SessionJson & Readonly<{ weak_password?: Weakness }>;

/** Who enters with a password that would not be accepted today is told so. */
async function enter(ask: Ask<TokenBody>, user: UserRow, kind: Login['kind']): Promise<Entered> {
  const { context, body, device } = ask;
  if (isBanned(user, context.now())) throw FAULTS.bannedLogin();
  if (kind === 'email' && user.email_confirmed_at === null) throw FAULTS.emailNotConfirmed();
  if (kind === 'phone' && user.phone_confirmed_at === null) throw FAULTS.phoneNotConfirmed();
  const entry = { user, method: 'password', device, provider: kind } as const;
  const session = await context.database.asOwner((tx) => openSession(context, tx, entry));
  const weakness = await weaknessOf(body.password, context).catch(() => undefined);
  return weakness === undefined ? session : { ...session, weak_password: weakness };
}

function isKnown({ context, device }: Ask<TokenBody>, login: Login): Promise<boolean> {
  return context.database.asOwner(async (tx) => {
    const user = await find(tx, login);
    return user !== undefined && device.address !== undefined && (await hasDone(tx, user.id, 'login', device.address));
  });
}
