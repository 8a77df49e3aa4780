import { z } from 'zod';
import { networkOf, validEmail, validPhone } from '../addresses.ts';
import { Text } from '../body.ts';
import { publicCall, type Ask } from '../call.ts';
import { AuthError, FAULTS, invalid } from '../errors.ts';
import { openSession } from '../sessions/issue.ts';
import type { Evidence } from '../sessions/proofs.ts';
import { spendToken } from '../sessions/verify.ts';

const Body = z.object({ type: Text, token: Text, token_hash: Text, email: Text, phone: Text, redirect_to: Text });
type Body = z.infer<typeof Body>;

/** POST /verify: a code with its address or number, or the hash from a link → Session. */
export const verify = publicCall({ method: 'POST', url: '/verify', limit: 'verify', body: Body }, async (ask) => {
  const { body } = ask;
  if (body.type === '') throw invalid('Verify requires a verification type');
  if ((body.token === '') === (body.token_hash === '')) throw invalid('Verify requires either a token or a token hash');
  if (body.token !== '') return spendCode(ask, evidenceOf(body));
  if (body.email !== '' || body.phone !== '' || body.redirect_to !== '') {
    throw invalid('Only the token_hash and type should be provided');
  }
  return enter(ask, { kind: 'link', hash: body.token_hash });
});

type CodeEvidence = Exclude<Evidence, { kind: 'link' }>;

function evidenceOf({ email, phone, token: code }: Body): CodeEvidence {
  if ((email === '') === (phone === '')) {
    throw invalid('Only an email address or phone number should be provided on verify');
  }
  if (phone !== '') return { kind: 'phone', phone: validPhone(phone), code };
  try {
    return { kind: 'email', email: validEmail(email), code };
  } catch {
    throw new AuthError(422, 'validation_failed', 'Invalid email format');
  }
}

/** A code has only so many digits: guessing one is slowed down like guessing a password. */
async function spendCode(ask: Ask<Body>, by: CodeEvidence): Promise<unknown> {
  const outcome = await ask.context.guesses.begin({
    account: `code ${by.kind === 'email' ? by.email : by.phone}`,
    network: networkOf(ask.device.address),
    isKnown: async () => false,
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  try {
    const answer = await enter(ask, by);
    outcome.succeeded();
    return answer;
  } catch (error) {
    outcome.failed();
    throw error;
  }
}

function enter({ context, body, device }: Ask<Body>, by: Evidence): Promise<unknown> {
  return context.database.asOwner(async (tx) => {
    const proven = await spendToken(context, tx, { type: body.type, by }, device);
    if ('msg' in proven) return proven;
    const provider = by.kind === 'phone' ? { provider: 'phone' } : {};
    return openSession(context, tx, { user: proven.user, method: 'otp', device, ...provider });
  });
}
