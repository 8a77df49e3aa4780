import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS, invalid, type AuthError } from '../errors.ts';
import { PKCE_PREFIX } from '../mail/codes.ts';
import { lockToken, type OneTimeTokenRow, type TokenKind } from '../records/one-time-tokens.ts';

/** What somebody shows who wants in without a password: the token of a link, or a code with the address it was sent to. */
export type Proof = Readonly<{ type: string; by: Evidence }>;

export type Evidence =
  | Readonly<{ kind: 'link'; hash: string }>
  | Readonly<{ kind: 'email'; email: string; code: string }>
  | Readonly<{ kind: 'phone'; phone: string; code: string }>;

const BY_MAIL: ReadonlyMap<string, readonly TokenKind[]> = new Map([
  ['signup', ['confirmation_token']],
  ['invite', ['confirmation_token']],
  ['magiclink', ['recovery_token']],
  ['recovery', ['recovery_token']],
  ['email', ['confirmation_token', 'recovery_token']],
  ['email_change', ['email_change_token_new', 'email_change_token_current']],
]);

const BY_PHONE: ReadonlyMap<string, readonly TokenKind[]> = new Map([
  ['sms', ['confirmation_token']],
  ['phone_change', ['phone_change_token']],
]);

/** The stored token that was shown, held until the transaction ends. Throws AuthError. */
export async function lockProven(context: AuthContext, tx: Tx, proof: Proof): Promise<OneTimeTokenRow> {
  const { by } = proof;
  const kinds = (by.kind === 'phone' ? BY_PHONE : BY_MAIL).get(proof.type);
  if (kinds === undefined) throw by.kind === 'link' ? invalid('Invalid email verification type') : FAULTS.codeExpired();
  const token = await lockToken(tx, hashesOf(context, by), kinds);
  // The hash of a code sent to a phone must not open what is proved by mail, though both are confirmation tokens.
  const wrongWay = token !== undefined && by.kind === 'link' && !token.relates_to.includes('@');
  if (token === undefined || wrongWay || isOver(context, by, token)) throw refusal(by);
  return token;
}

export function refusal(by: Evidence): AuthError {
  return by.kind === 'link' ? FAULTS.linkExpired() : FAULTS.codeExpired();
}

function hashesOf({ codes }: AuthContext, by: Evidence): string[] {
  if (by.kind === 'link') return [by.hash];
  const hash = codes.hashOf(by.kind === 'email' ? by.email : by.phone, by.code);
  return [hash, `${PKCE_PREFIX}${hash}`];
}

function isOver({ auth, now }: AuthContext, by: Evidence, token: OneTimeTokenRow): boolean {
  const seconds = by.kind === 'phone' ? auth.sms.otp_expiry : auth.email.otp_expiry;
  return now() > token.created_at.getTime() + seconds * 1_000;
}
