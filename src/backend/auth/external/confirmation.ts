import type { Tx } from '../../database/index.ts';
import type { Ask } from '../call.ts';
import { AuthError } from '../errors.ts';
import { deliver, issueCode, takeMail, takeMailbox } from '../mail/codes.ts';
import type { UserRow } from '../records/users.ts';

/** Who may enter, or what they are told instead; `send` is for after the transaction, which stays as it is. */
export type Outcome =
  | Readonly<{ kind: 'user'; user: UserRow }>
  | Readonly<{ kind: 'refused'; fault: AuthError; send: () => Promise<void> }>;

export type Refusal = Readonly<{ provider: string; code: string }>;

/** A mail to the address that the other provider did not vouch for; its link confirms the account. Throws AuthError. */
export async function confirmationFor(
  tx: Tx,
  { context, at }: Ask<unknown>,
  user: UserRow,
  { provider, code }: Refusal,
): Promise<Outcome> {
  const email = user.email ?? '';
  await takeMailbox(context, email, tx);
  await takeMail(context, 'others', tx);
  const made = await issueCode(context, tx, { user, kind: 'signup', at });
  const why = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`;
  return {
    kind: 'refused',
    fault: new AuthError(422, code, why),
    send: () => deliver(context, { to: email, kind: 'signup', made, redirectTo: context.auth.site_url }),
  };
}
