import { z } from 'zod';
import { networkOf } from '#http/network.ts';
import { Text } from '../../body.ts';
import { AuthError, badJson, FAULTS } from '../../errors.ts';
import { FACTOR_FAULTS } from '../../factors/errors.ts';
import { requireVerification } from '../../factors/rules.ts';
import { readAnswer, settle } from '../../factors/verify-factor.ts';
import { hasDone } from '../../repository/audit.ts';
import type { Ask } from '../../route.ts';
import type { SessionJson } from '../../sessions/issue.ts';
import { factorCall, factorOf } from './factor-route.ts';

const WebAuthn = z.object({ type: Text, credential_response: z.unknown().optional() });
const Body = z.object({ challenge_id: Text, code: Text, webauthn: WebAuthn.nullish() });
type Body = z.infer<typeof Body>;

const spec = { method: 'POST', url: '/factors/:factor_id/verify', limit: 'factorVerify', body: Body } as const;

/** POST /factors/:id/verify: the answer to a challenge → a session at aal2. */
export const verifyFactor = factorCall(spec, async (ask, { user, session }) => {
  const { context, request, body, device, at } = ask;
  const factor = await context.database.asOwner((tx) => factorOf(tx, request, user.id));
  if (factor.factor_type !== 'webauthn' && body.code === '') throw FACTOR_FAULTS.emptyCode();
  requireVerification(context, factor.factor_type);
  const answer = readAnswer(factor.factor_type, body);
  const challengeId = challengeIdOf(body);
  const ids = { userId: user.id, sessionId: session.id, factorId: factor.id, challengeId };
  const attempt = (): Promise<SessionJson | AuthError> =>
    context.database.asOwner((tx) => settle(context, tx, { ...ids, answer, device, at }));
  // A signature cannot be guessed, a code can.
  const result = await (answer.kind === 'code' ? slowly(ask, user.id, attempt) : attempt());
  if (result instanceof AuthError) throw result;
  return result;
});

/** Whoever guesses codes knows the password already, so only addresses that showed a second factor count as known. */
async function slowly(
  ask: Ask<Body>,
  userId: string,
  attempt: () => Promise<SessionJson | AuthError>,
): Promise<SessionJson | AuthError> {
  const { context, device } = ask;
  const outcome = await context.guesses.begin({
    account: `factor ${userId}`,
    network: networkOf(device.address),
    isKnown: () => showedHere(ask, userId),
  });
  if (outcome === undefined) throw FAULTS.rateLimit();
  let result: SessionJson | AuthError;
  try {
    result = await attempt();
  } catch (error) {
    outcome.withdrawn();
    throw error;
  }
  if (!(result instanceof AuthError)) outcome.succeeded();
  else if (result.code === 'mfa_verification_failed') outcome.failed();
  else outcome.withdrawn();
  return result;
}

function showedHere({ context, device: { address } }: Ask<Body>, userId: string): Promise<boolean> {
  return context.database.asOwner(
    async (tx) => address !== undefined && (await hasDone(tx, userId, 'verification_attempted', address)),
  );
}

function challengeIdOf({ challenge_id: id }: Body): string {
  if (id === '') throw FACTOR_FAULTS.challengeNotFound();
  if (!z.guid().safeParse(id).success) throw badJson('challenge_id: Invalid UUID');
  return id;
}
