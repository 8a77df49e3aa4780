import { z } from 'zod';
import { validEmail } from '../addresses.ts';
import { queryText, Text } from '../body.ts';
import { FAULTS, invalid } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf, type Challenge } from '../flows/code-challenge.ts';
import { deliver, issueCode, sendWithin, takeMailbox, type IssuedCode } from '../mail/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findUserByEmail } from '../repository/users.ts';
import { publicCall, type Ask } from '../route.ts';

const Body = z.object({ email: Text, ...CHALLENGE_MEMBERS });
type Body = z.infer<typeof Body>;

/** POST /recover: a link to a new password. Known and unknown addresses cost the same and get the same answer. */
export const recover = publicCall(
  { method: 'POST', url: '/recover', limit: 'recover', captcha: 'asked', body: Body },
  async (ask) => {
    const { context, request, body } = ask;
    if (!context.auth.email.enable_signup) throw FAULTS.emailMailsDisabled();
    if (body.email === '') throw invalid('Password recovery requires an email');
    const email = validEmail(body.email);
    const challenge = challengeOf(body);
    const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
    await takeMailbox(context, email);
    // Nothing waits for what follows: how long it takes would tell who has an account.
    context.background(answer(ask, { email, challenge, redirectTo }));
    return {};
  },
);

type Wish = Readonly<{ email: string; challenge: Challenge | undefined; redirectTo: string }>;

async function answer(ask: Ask<Body>, { email, challenge, redirectTo }: Wish): Promise<void> {
  const { context } = ask;
  const made = await issue(ask, email, challenge);
  if (made === undefined) return;
  await sendWithin(context, 'recovery', () => deliver(context, { to: email, kind: 'recovery', made, redirectTo }));
}

function issue(
  { context, device, at }: Ask<Body>,
  email: string,
  challenge: Challenge | undefined,
): Promise<IssuedCode | undefined> {
  return context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    await audit(tx, { action: 'user_recovery_requested', actorId: user?.id, address: device.address, at });
    return user && issueCode(context, tx, { user, kind: 'recovery', challenge, at });
  });
}
