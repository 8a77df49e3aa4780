import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { createAccount } from '../../accounts.ts';
import { validEmail } from '../../addresses.ts';
import { Data, queryText, Text } from '../../body.ts';
import { AuthError, FAULTS, invalid } from '../../errors.ts';
import { issueCode, linkOf, type CodeKind, type IssuedCode } from '../../mail/codes.ts';
import { issueChangeCode, needsBoth, noteWish } from '../../mail/email-change.ts';
import { checkPassword, hashPassword } from '../../passwords.ts';
import { acceptedRedirect } from '../../redirects.ts';
import { audit } from '../../repository/audit.ts';
import { identitiesOf } from '../../repository/identities.ts';
import { findUserByEmail, updateUser, type UserRow } from '../../repository/users.ts';
import { adminCall, type Ask } from '../../route.ts';
import { userJson } from '../../user-json.ts';

const Body = z.object({ type: Text, email: Text, new_email: Text, password: Text, data: Data, redirect_to: Text });
type Body = z.infer<typeof Body>;

type Made = IssuedCode & Readonly<{ type: string }>;

/** POST /admin/generate_link: what a mail would hold, for an administrator who sends it in another way. */
export const generateLink = adminCall({ method: 'POST', url: '/admin/generate_link', body: Body }, async (ask) => {
  const { context, body, request } = ask;
  const email = validEmail(body.email);
  const asked = body.redirect_to === '' ? queryText(request, 'redirect_to') : body.redirect_to;
  const redirectTo = acceptedRedirect(asked, context.auth);
  const passwordHash = body.type === 'signup' ? await signupPassword(ask) : undefined;
  return context.database.asOwner(async (tx) => {
    const made = await makeLink(tx, ask, email, passwordHash);
    return {
      ...userJson(made.user, await identitiesOf(tx, [made.user.id])),
      action_link: linkOf(context, made.hash, made.type, redirectTo),
      email_otp: made.code,
      hashed_token: made.hash,
      verification_type: made.type,
      redirect_to: redirectTo,
    };
  });
});

async function signupPassword({ body, context }: Ask<Body>): Promise<string> {
  if (body.password === '') throw invalid('Signup requires a valid password');
  await checkPassword(body.password, context);
  return hashPassword(body.password);
}

async function makeLink(tx: Tx, ask: Ask<Body>, email: string, passwordHash: string | undefined): Promise<Made> {
  const { body, at } = ask;
  const existing = await findUserByEmail(tx, email);
  const create = (): Promise<UserRow> => {
    const hash = passwordHash === undefined ? {} : { passwordHash };
    return createAccount(tx, { email, data: body.data, ...hash, at });
  };
  switch (body.type) {
    case 'signup':
    case 'invite':
      if (existing !== undefined && existing.email_confirmed_at !== null) throw FAULTS.emailExists();
      return welcome(tx, ask, existing ?? (await create()), body.type);
    case 'magiclink':
      // A link for somebody new is the confirmation of the new account at the same time.
      return existing === undefined
        ? welcome(tx, ask, await create(), 'signup')
        : enter(tx, ask, existing, 'magiclink');
    case 'recovery':
      return enter(tx, ask, known(existing), 'recovery');
    case 'email_change_current':
      return move(tx, ask, known(existing), 'current');
    case 'email_change_new':
      return move(tx, ask, known(existing), 'new');
    default:
      throw invalid(`Invalid email action link type requested: ${body.type}`);
  }
}

async function welcome(tx: Tx, ask: Ask<Body>, user: UserRow, kind: 'signup' | 'invite'): Promise<Made> {
  const { at, device } = ask;
  if (kind === 'signup') return issue(tx, ask, user, kind);
  await audit(tx, { action: 'user_invited', actorId: undefined, userId: user.id, address: device.address, at });
  return issue(tx, ask, await updateUser(tx, user.id, { invited_at: at }, at), kind);
}

async function enter(tx: Tx, ask: Ask<Body>, user: UserRow, kind: 'magiclink' | 'recovery'): Promise<Made> {
  const { at, device } = ask;
  await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
  return issue(tx, ask, user, kind);
}

async function move(
  tx: Tx,
  { body, context, at }: Ask<Body>,
  before: UserRow,
  mailbox: 'current' | 'new',
): Promise<Made> {
  if (mailbox === 'current' && !needsBoth(context, before)) {
    throw invalid('Enable secure email change to generate link for current email');
  }
  const user = await noteWish(tx, before, await freeEmail(tx, body.new_email), at);
  return { ...(await issueChangeCode(context, tx, { user, mailbox, at })), user, type: 'email_change' };
}

async function issue(tx: Tx, { context, at }: Ask<Body>, user: UserRow, kind: CodeKind): Promise<Made> {
  return { ...(await issueCode(context, tx, { user, kind, at })), type: kind };
}

function known(user: UserRow | undefined): UserRow {
  if (user === undefined) throw new AuthError(404, 'user_not_found', 'User with this email not found');
  return user;
}

async function freeEmail(tx: Tx, given: string): Promise<string> {
  const email = validEmail(given);
  if ((await findUserByEmail(tx, email)) !== undefined) throw FAULTS.emailExists();
  return email;
}
