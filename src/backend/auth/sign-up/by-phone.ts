import type { Tx } from '../../database/index.ts';
import { confirmPhone, createAccount } from '../accounts.ts';
import type { Ask } from '../call.ts';
import { FAULTS } from '../errors.ts';
import { issuePhoneCode, type PhoneCode } from '../phone/codes.ts';
import { audit } from '../records/audit.ts';
import { findUserByPhone, type Metadata, type UserRow } from '../records/users.ts';

/** Somebody with a phone number; who asks for a code instead of bringing a password has none. */
export type PhoneSignUp = Readonly<{ phone: string; passwordHash?: string; data: Metadata }>;

/** Where confirmations are off the account counts at once. Throws AuthError where there is one already. */
export async function addPhoneConfirmed(tx: Tx, { device, at }: Ask<unknown>, wish: PhoneSignUp): Promise<UserRow> {
  if ((await findUserByPhone(tx, wish.phone)) !== undefined) throw FAULTS.userExists();
  const user = await confirmPhone(tx, await create(tx, wish, at), at);
  const traits = { provider: 'phone' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return user;
}

/** An account that waits for a code. Undefined where somebody confirmed has the number, of which nobody may learn. */
export async function prepareByPhone(tx: Tx, ask: Ask<unknown>, wish: PhoneSignUp): Promise<PhoneCode | undefined> {
  const { context, device, at } = ask;
  const existing = await findUserByPhone(tx, wish.phone);
  const user = existing ?? (await create(tx, wish, at));
  const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'phone' }, at });
  if (user.phone_confirmed_at !== null) return undefined;
  return issuePhoneCode(context, tx, { user, phone: wish.phone, purpose: 'confirmation', at });
}

function create(tx: Tx, { phone, passwordHash, data }: PhoneSignUp, at: Date): Promise<UserRow> {
  return createAccount(tx, { phone, data, at, ...(passwordHash === undefined ? {} : { passwordHash }) });
}
