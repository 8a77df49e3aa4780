import { z } from 'zod';
import { parseEmail } from '../addresses.ts';
import { readQuery, Text } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import { CodeChallengeFields, parseCodeChallenge, type CodeChallenge } from '../flows/code-challenge.ts';
import { sendCodeMail, issueCode, sendWithinQuota, takeMailboxQuota, type IssuedCode } from '../mail/codes.ts';
import { resolveRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findUserByEmail } from '../repository/users.ts';
import { publicRoute, type RequestContext } from '../route.ts';

const Body = z.object({ email: Text, ...CodeChallengeFields });
type Body = z.infer<typeof Body>;

/** POST /recover: a link to a new password. Known and unknown addresses cost the same and get the same answer. */
export const recover = publicRoute(
  { method: 'POST', url: '/recover', limit: 'recover', captcha: 'asked', body: Body },
  async (input) => {
    const { context, request, body } = input;
    if (!context.auth.email.enable_signup) throw ERRORS.emailMailsDisabled();
    if (body.email === '') throw invalid('Password recovery requires an email');
    const email = parseEmail(body.email);
    const challenge = parseCodeChallenge(body);
    const redirectTo = resolveRedirect(readQuery(request, 'redirect_to'), context.auth);
    await takeMailboxQuota(context, email);
    // Runs in the background, since its duration would reveal whether an account exists.
    context.background(sendRecovery(input, { email, challenge, redirectTo }));
    return {};
  },
);

type Recovery = Readonly<{ email: string; challenge: CodeChallenge | undefined; redirectTo: string }>;

async function sendRecovery(input: RequestContext<Body>, { email, challenge, redirectTo }: Recovery): Promise<void> {
  const { context } = input;
  const made = await issueRecoveryCode(input, email, challenge);
  if (made === undefined) return;
  await sendWithinQuota(context, 'recovery', () =>
    sendCodeMail(context, { to: email, kind: 'recovery', made, redirectTo }),
  );
}

function issueRecoveryCode(
  { context, device, at }: RequestContext<Body>,
  email: string,
  challenge: CodeChallenge | undefined,
): Promise<IssuedCode | undefined> {
  return context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    await audit(tx, { action: 'user_recovery_requested', actorId: user?.id, address: device.address, at });
    return user && issueCode(context, tx, { user, kind: 'recovery', challenge, at });
  });
}
