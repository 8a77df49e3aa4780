import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, noteProviders } from '../accounts.ts';
import type { Ask } from '../call.ts';
import { FAULTS } from '../errors.ts';
import type { Challenge } from '../flows/challenge.ts';
import { takeMail, takeMailbox } from '../mail/codes.ts';
import { mailEmailChange, startEmailChange } from '../mail/email-change.ts';
import { checkChannel, issuePhoneCode, takePhone } from '../phone/codes.ts';
import { putIdentity } from '../records/identities.ts';
import { findOwnerOfEmail, phoneIsTaken, type UserRow } from '../records/users.ts';

/** Where the owner of an account wants to be reached; undefined means no change. */
export type Wishes = Readonly<{
  email: string | undefined;
  phone: string | undefined;
  channel: string;
  challenge: Challenge | undefined;
  redirectTo: string;
}>;

/** `sends` is for after the transaction. */
export type Moved = Readonly<{ user: UserRow; sends: readonly (() => Promise<void>)[] }>;

/** When the mailboxes have answered; at once only where somebody without any address gets one and nobody confirms. */
export async function moveEmail(tx: Tx, ask: Ask<unknown>, user: UserRow, wishes: Wishes): Promise<Moved> {
  const { context, at } = ask;
  const { email, challenge, redirectTo } = wishes;
  if (email === undefined) return { user, sends: [] };
  const owner = await findOwnerOfEmail(tx, email);
  if (owner !== undefined && owner.id !== user.id) throw FAULTS.emailExists();
  if (user.is_anonymous && !context.auth.email.enable_confirmations) {
    const known = await changeAccount(tx, user.id, { email, is_anonymous: false }, at);
    await putIdentity(tx, { provider: 'email', userId: user.id, data: { email }, at });
    return { user: await noteProviders(tx, await confirmEmail(tx, known, at), at), sends: [] };
  }
  await takeMailbox(context, email, tx);
  await takeMail(context, 'others', tx);
  const move = await startEmailChange(context, tx, { user, email, challenge, at });
  return { user: move.user, sends: [() => mailEmailChange(context, move, redirectTo)] };
}

/** At once where confirmations are off, else when the phone has answered. */
export async function movePhone(tx: Tx, ask: Ask<unknown>, user: UserRow, wishes: Wishes): Promise<Moved> {
  const { context, at } = ask;
  const { phone } = wishes;
  if (phone === undefined) return { user, sends: [] };
  if (await phoneIsTaken(tx, phone)) throw FAULTS.phoneExists();
  checkChannel(context, wishes.channel);
  if (!context.auth.sms.enable_confirmations) {
    const moved = await changeAccount(tx, user.id, { phone, phone_confirmed_at: at, is_anonymous: false }, at);
    return { user: await noteProviders(tx, await confirmPhone(tx, moved, at), at), sends: [] };
  }
  takePhone(context, phone);
  const code = await issuePhoneCode(context, tx, { user, phone, purpose: 'phone_change', at });
  return { user: code.user, sends: [code.send] };
}
