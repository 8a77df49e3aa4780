import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { ERRORS, invalid, tooSoon } from '../errors.ts';
import { upsertToken, type TokenKind } from '../repository/one-time-tokens.ts';
import { updateUser, type UserChange, type UserRow } from '../repository/users.ts';

/** The purpose of a phone code, in upstream's names. */
type PhonePurpose = 'confirmation' | 'phone_change' | 'reauthentication';

const TOKENS: Readonly<Record<PhonePurpose, TokenKind>> = {
  confirmation: 'confirmation_token',
  phone_change: 'phone_change_token',
  reauthentication: 'reauthentication_token',
};

/** An issued phone code; `send` does nothing for test numbers with a fixed code. */
export type PhoneCode = Readonly<{ user: UserRow; messageId: string | undefined; send: () => Promise<void> }>;

type PhoneCodeRequest = Readonly<{ user: UserRow; phone: string; purpose: PhonePurpose; at: Date }>;

/** Accepts any channel where an SMS provider is configured, otherwise `sms` only. Throws AuthError. */
export function requireKnownChannel(context: AuthContext, channel: string): void {
  if (channel === '' || channel === 'sms' || context.sms.enabled) return;
  throw invalid(
    `Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.`,
  );
}

/** Limits the messages to one number. Throws AuthError. */
export function takePhoneQuota(context: AuthContext, phone: string): void {
  if (!context.sms.enabled && context.auth.sms.test_otp[phone] === undefined) throw ERRORS.smsNotConfigured();
  if (!context.phoneQuota.take(phone)) throw tooSoon('sms', context.phoneQuota.waitMs(phone));
}

/** Stores the code; call `send` after the transaction. */
export async function issuePhoneCode(context: AuthContext, tx: Tx, request: PhoneCodeRequest): Promise<PhoneCode> {
  const { user, phone, purpose, at } = request;
  const test = context.auth.sms.test_otp[phone];
  const made = context.codes.issue(phone, context.auth.sms.otp_length);
  const noted = await updateUser(tx, user.id, buildChange(purpose, phone, at), at);
  await upsertToken(tx, { userId: user.id, kind: TOKENS[purpose], hash: made.hash, relatesTo: phone, at });
  if (test !== undefined) return { user: noted, messageId: 'test-otp', send: async () => undefined };
  return {
    user: noted,
    messageId: undefined,
    send: () => context.sms.send({ phone, code: made.code, userId: user.id }),
  };
}

function buildChange(purpose: PhonePurpose, phone: string, at: Date): UserChange {
  if (purpose === 'phone_change') return { phone_change: phone, phone_change_sent_at: at };
  return purpose === 'confirmation' ? { confirmation_sent_at: at } : { reauthentication_sent_at: at };
}

/** Returns `{message_id}` where the code has one. */
export function formatMessageId({ messageId }: PhoneCode): Record<string, string> {
  return messageId === undefined ? {} : { message_id: messageId };
}
