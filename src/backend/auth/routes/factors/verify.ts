import { z } from 'zod';
import { toNetwork } from '#http/network.ts';
import { Text } from '../../body.ts';
import { AuthError, badJson } from '../../errors.ts';
import { FACTOR_ERRORS, requireVerification } from '../../factors/rules.ts';
import { parseAnswer, verifyFactor } from '../../factors/verify-factor.ts';
import { throttleAttempt } from '../../limits/login-throttle.ts';
import { hasAuditEntry } from '../../repository/audit.ts';
import { factorRoute, findPathFactor, type RequestContext } from '../../route.ts';
import type { SessionJson } from '../../sessions/issue.ts';

const WebAuthn = z.object({ type: Text, credential_response: z.unknown().optional() });
const VerifyBody = z.object({ challenge_id: Text, code: Text, webauthn: WebAuthn.nullish() });
type VerifyBody = z.infer<typeof VerifyBody>;

const verifySpec = {
  method: 'POST',
  url: '/factors/:factor_id/verify',
  limit: 'factorVerify',
  body: VerifyBody,
} as const;

/** POST /factors/:id/verify: the answer to a challenge → a session at aal2. */
export const verifyFactorRoute = factorRoute(verifySpec, async (input, { user, session }) => {
  const { context, request, body, device, at } = input;
  const factor = await context.database.asOwner((tx) => findPathFactor(tx, request, user.id));
  if (factor.factor_type !== 'webauthn' && body.code === '') throw FACTOR_ERRORS.emptyCode();
  requireVerification(context, factor.factor_type);
  const answer = parseAnswer(factor.factor_type, body);
  const challengeId = parseChallengeId(body);
  const ids = { userId: user.id, sessionId: session.id, factorId: factor.id, challengeId };
  const attempt = (): Promise<SessionJson | AuthError> =>
    context.database.asOwner((tx) => verifyFactor(context, tx, { ...ids, answer, device, at }));
  // A signature cannot be guessed, a code can.
  const result = await (answer.kind === 'code' ? throttle(input, user.id, attempt) : attempt());
  if (result instanceof AuthError) throw result;
  return result;
});

/**
 * An attacker who guesses codes already knows the password, so only addresses of earlier verifications count as known.
 */
function throttle(
  input: RequestContext<VerifyBody>,
  userId: string,
  attempt: () => Promise<SessionJson | AuthError>,
): Promise<SessionJson | AuthError> {
  const { context, device } = input;
  const guess = {
    account: `factor ${userId}`,
    network: toNetwork(device.address),
    isKnown: () => isKnownAddress(input, userId),
  };
  return throttleAttempt(context.loginThrottle, guess, attempt, (result) => {
    if (!(result instanceof AuthError)) return 'succeed';
    return result.code === 'mfa_verification_failed' ? 'fail' : 'withdraw';
  });
}

function isKnownAddress(
  { context, device: { address } }: RequestContext<VerifyBody>,
  userId: string,
): Promise<boolean> {
  return context.database.asOwner(
    async (tx) => address !== undefined && (await hasAuditEntry(tx, userId, 'verification_attempted', address)),
  );
}

function parseChallengeId({ challenge_id: id }: VerifyBody): string {
  if (id === '') throw FACTOR_ERRORS.challengeNotFound();
  if (!z.guid().safeParse(id).success) throw badJson('challenge_id: Invalid UUID');
  return id;
}
