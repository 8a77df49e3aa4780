import { z } from 'zod';
import type { Tx } from '../../../database/index.ts';
import { createAccount } from '../../accounts.ts';
import { parseEmail } from '../../addresses.ts';
import { Data, Text } from '../../body.ts';
import { AuthError, ERRORS, invalid } from '../../errors.ts';
import {
  buildLink,
  issueChangeCode,
  issueCode,
  needsBothMailboxes,
  sendCodeMail,
  storeEmailChange,
  takeMailQuota,
  type CodeKind,
  type IssuedCode,
} from '../../mail.ts';
import { hashPassword, validatePassword } from '../../passwords.ts';
import { findAllowedRedirect, readRedirect } from '../../redirects.ts';
import { audit } from '../../repository/audit.ts';
import { findIdentities } from '../../repository/identities.ts';
import { findUserByEmail, updateUser, type UserRow } from '../../repository/users.ts';
import { adminRoute, type RequestContext } from '../../route.ts';
import { userJson } from '../../user-json.ts';

const InviteBody = z.object({ email: Text, data: Data });

/** POST /invite: creates an account whose owner sets the password; an unaccepted invitation is sent again. */
export const invite = adminRoute({ method: 'POST', url: '/invite', body: InviteBody }, async (input) => {
  const { context, body, request, device, at } = input;
  const email = parseEmail(body.email);
  const redirectTo = readRedirect(request, context.auth);
  const made = await context.database.asOwner(async (tx) => {
    const existing = await findUserByEmail(tx, email);
    if (existing !== undefined && existing.email_confirmed_at !== null) throw ERRORS.emailExists();
    await takeMailQuota(context, 'invitation', tx);
    const user = existing ?? (await createAccount(tx, { email, data: body.data, invited: true, at }));
    const invited = await updateUser(tx, user.id, { invited_at: at }, at);
    const issued = await issueCode(context, tx, { user: invited, kind: 'invite', at });
    await audit(tx, { action: 'user_invited', actorId: undefined, userId: user.id, address: device.address, at });
    return { ...issued, json: userJson(issued.user, await findIdentities(tx, [user.id])) };
  });
  await sendCodeMail(context, { to: email, kind: 'invite', made, redirectTo });
  return made.json;
});

const LinkBody = z.object({ type: Text, email: Text, new_email: Text, password: Text, data: Data, redirect_to: Text });
type LinkBody = z.infer<typeof LinkBody>;

/** `type` stands in the link, `asked` in the answer: they differ where an address changes. */
type IssuedLink = IssuedCode & Readonly<{ type: string; asked: string }>;

/** POST /admin/generate_link: the content of a mail, for an administrator who sends it in another way. */
export const generateLink = adminRoute(
  { method: 'POST', url: '/admin/generate_link', body: LinkBody },
  async (input) => {
    const { context, body, request } = input;
    const email = parseEmail(body.email);
    const redirectTo = findAllowedRedirect(body.redirect_to, context.auth) ?? readRedirect(request, context.auth);
    const passwordHash = body.type === 'signup' ? await hashSignupPassword(input) : undefined;
    return context.database.asOwner(async (tx) => {
      const made = await makeLink(tx, input, email, passwordHash);
      return {
        ...userJson(made.user, await findIdentities(tx, [made.user.id])),
        action_link: buildLink(context, made.hash, made.type, redirectTo),
        email_otp: made.code,
        hashed_token: made.hash,
        verification_type: made.asked,
        redirect_to: redirectTo,
      };
    });
  },
);

async function hashSignupPassword({ body, context }: RequestContext<LinkBody>): Promise<string> {
  if (body.password === '') throw invalid('Signup requires a valid password');
  await validatePassword(body.password, context);
  return hashPassword(body.password);
}

async function makeLink(
  tx: Tx,
  input: RequestContext<LinkBody>,
  email: string,
  passwordHash: string | undefined,
): Promise<IssuedLink> {
  const { body, at } = input;
  const existing = await findUserByEmail(tx, email);
  const create = (): Promise<UserRow> => {
    const hash = passwordHash === undefined ? {} : { passwordHash };
    return createAccount(tx, { email, data: body.data, ...hash, at });
  };
  switch (body.type) {
    case 'signup':
    case 'invite':
      if (existing !== undefined && existing.email_confirmed_at !== null) throw ERRORS.emailExists();
      return inviteOrConfirm(tx, input, existing ?? (await create()), body.type);
    case 'magiclink':
      // The login link of a new account also confirms it.
      return existing === undefined
        ? inviteOrConfirm(tx, input, await create(), 'signup')
        : issueForKnown(tx, input, existing, 'magiclink');
    case 'recovery':
      return issueForKnown(tx, input, requireUser(existing), 'recovery');
    case 'email_change_current':
      return issueEmailChange(tx, input, requireUser(existing), 'current');
    case 'email_change_new':
      return issueEmailChange(tx, input, requireUser(existing), 'new');
    default:
      throw invalid(`Invalid email action link type requested: ${body.type}`);
  }
}

async function inviteOrConfirm(
  tx: Tx,
  input: RequestContext<LinkBody>,
  user: UserRow,
  kind: 'signup' | 'invite',
): Promise<IssuedLink> {
  const { at, device } = input;
  if (kind === 'signup') return issue(tx, input, user, kind);
  await audit(tx, { action: 'user_invited', actorId: undefined, userId: user.id, address: device.address, at });
  return issue(tx, input, await updateUser(tx, user.id, { invited_at: at }, at), kind);
}

async function issueForKnown(
  tx: Tx,
  input: RequestContext<LinkBody>,
  user: UserRow,
  kind: 'magiclink' | 'recovery',
): Promise<IssuedLink> {
  const { at, device } = input;
  await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
  return issue(tx, input, user, kind);
}

async function issueEmailChange(
  tx: Tx,
  { body, context, at }: RequestContext<LinkBody>,
  before: UserRow,
  mailbox: 'current' | 'new',
): Promise<IssuedLink> {
  if (mailbox === 'current' && !needsBothMailboxes(context, before)) {
    throw invalid('Enable secure email change to generate link for current email');
  }
  const user = await storeEmailChange(tx, before, await parseFreeEmail(tx, body.new_email), at);
  return {
    ...(await issueChangeCode(context, tx, { user, mailbox, at })),
    user,
    type: 'email_change',
    asked: body.type,
  };
}

async function issue(
  tx: Tx,
  { context, at }: RequestContext<LinkBody>,
  user: UserRow,
  kind: CodeKind,
): Promise<IssuedLink> {
  return { ...(await issueCode(context, tx, { user, kind, at })), type: kind, asked: kind };
}

function requireUser(user: UserRow | undefined): UserRow {
  if (user === undefined) throw new AuthError(404, 'user_not_found', 'User with this email not found');
  return user;
}

async function parseFreeEmail(tx: Tx, given: string): Promise<string> {
  const email = parseEmail(given);
  if ((await findUserByEmail(tx, email)) !== undefined) throw ERRORS.emailExists();
  return email;
}
