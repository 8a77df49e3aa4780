import { z } from 'zod';
import { networkOf, validEmail } from '../addresses.ts';
import { Text } from '../body.ts';
import { publicCall, type Ask } from '../call.ts';
import { FAULTS, invalid } from '../errors.ts';
import { codeHash } from '../records/one-time-tokens.ts';
import { spendToken } from '../sessions/verify.ts';

const Body = z.object({ type: Text, token: Text, token_hash: Text, email: Text, phone: Text });
type Body = z.infer<typeof Body>;

/** POST /verify: a code with its address, or the hash from a link → Session. */
export const verify = publicCall({ method: 'POST', url: '/verify', limit: 'verify', body: Body }, async (ask) => {
  const { context, body, device } = ask;
  if (body.type === '') throw invalid('Verify requires a verification type');
  if ((body.token === '') === (body.token_hash === '')) throw invalid('Verify requires either a token or a token hash');
  if (body.token !== '') return spendCode(ask);
  if (body.email !== '' || body.phone !== '') throw invalid('Only the token_hash and type should be provided');
  return spendToken(context, { type: body.type, hash: body.token_hash, expired: FAULTS.linkExpired, device });
});

/** A code has only so many digits: guessing one is slowed down like guessing a password. */
async function spendCode({ context, body, device }: Ask<Body>): Promise<unknown> {
  if (body.phone !== '') throw FAULTS.phoneSignupsDisabled();
  const email = validEmail(body.email);
  const outcome = await context.guesses.begin({
    account: `code ${email}`,
    network: networkOf(device.address),
    isKnown: async () => false,
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  try {
    const hash = codeHash(email, body.token);
    const answer = await spendToken(context, { type: body.type, hash, expired: FAULTS.codeExpired, device });
    outcome.succeeded();
    return answer;
  } catch (error) {
    outcome.failed();
    throw error;
  }
}
