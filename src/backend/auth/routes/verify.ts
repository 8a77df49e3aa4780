import { z } from 'zod';
import { toNetwork } from '#http/network.ts';
import type { Tx } from '../../database/index.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import { readQuery, Text } from '../body.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { issueAuthCode } from '../auth-code.ts';
import { readRedirect, withCode, withError, withMessage, withSession, type ResponseMode } from '../redirects.ts';
import { throttleAttempt } from '../limits/login-throttle.ts';
import { PKCE_PREFIX } from '../mail.ts';
import { lockLatestFlow, type FlowMethod } from '../repository/flows.ts';
import { publicRoute, type RequestContext } from '../route.ts';
import { openSession } from '../sessions/issue.ts';
import { verifyOneTimeToken, type Evidence, type VerifiedToken } from '../verify-one-time-token.ts';

const Body = z.object({ type: Text, token: Text, token_hash: Text, email: Text, phone: Text, redirect_to: Text });
type Body = z.infer<typeof Body>;

/** POST /verify: a code with its address or number, or the hash from a link → Session. */
export const verify = publicRoute({ method: 'POST', url: '/verify', limit: 'verify', body: Body }, async (input) => {
  const { body } = input;
  if (body.type === '') throw invalid('Verify requires a verification type');
  if ((body.token === '') === (body.token_hash === '')) throw invalid('Verify requires either a token or a token hash');
  if (body.token !== '') return verifyCode(input, parseEvidence(body));
  if (body.email !== '' || body.phone !== '' || body.redirect_to !== '') {
    throw invalid('Only the token_hash and type should be provided');
  }
  return openSessionFor(input, { kind: 'link', hash: body.token_hash });
});

type CodeEvidence = Exclude<Evidence, { kind: 'link' }>;

function parseEvidence({ email, phone, token: code }: Body): CodeEvidence {
  if ((email === '') === (phone === '')) {
    throw invalid('Only an email address or phone number should be provided on verify');
  }
  if (phone !== '') return { kind: 'phone', address: parsePhone(phone), code };
  try {
    return { kind: 'email', address: parseEmail(email), code };
  } catch {
    throw new AuthError(422, 'validation_failed', 'Invalid email format');
  }
}

/** Throttles guesses, since a code has few digits. */
async function verifyCode(input: RequestContext<Body>, by: CodeEvidence): Promise<unknown> {
  const account = `code ${by.address}`;
  const [answer] = await throttleAttempt(
    input.context.loginThrottle,
    { account, network: toNetwork(input.device.address) },
    () => Promise.allSettled([openSessionFor(input, by)]),
    ([ended]) => (ended.status === 'fulfilled' ? 'succeed' : ended.reason instanceof AuthError ? 'fail' : 'withdraw'),
  );
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}

function openSessionFor({ context, body, device }: RequestContext<Body>, by: Evidence): Promise<unknown> {
  return context.database.asOwner(async (tx) => {
    const verified = await verifyOneTimeToken(context, tx, { type: body.type, by }, device);
    if ('msg' in verified) return verified;
    const provider = by.kind === 'phone' ? { provider: 'phone' } : {};
    return openSession(context, tx, { user: verified.user, method: 'otp', device, ...provider });
  });
}

const FLOWS: Readonly<Record<string, FlowMethod>> = {
  signup: 'email/signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
};

type Click = Readonly<{ token: string; type: string; target: string; mode: ResponseMode }>;

/** GET /verify?token&type&redirect_to: a click in a mail → 303 with a session, a code or an error. */
export const verifyLink = publicRoute({ method: 'GET', url: '/verify', limit: 'verify' }, async (input) => {
  const { context, request, reply } = input;
  const token = readQuery(request, 'token');
  const type = readQuery(request, 'type');
  if (type === '') throw invalid('Verify requires a verification type');
  if (token === '') throw invalid('Verify requires a token or a token hash');
  const mode = token.startsWith(PKCE_PREFIX) ? 'query' : 'fragment';
  const target = readRedirect(request, context.auth);
  try {
    return reply.redirect(await buildLanding(input, { token, type, target, mode }), 303);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return reply.redirect(withError(target, error, mode), 303);
  }
});

function buildLanding(input: RequestContext, { token, type, target, mode }: Click): Promise<string> {
  const { context, device } = input;
  return context.database.asOwner(async (tx) => {
    const verified = await verifyOneTimeToken(context, tx, { type, by: { kind: 'link', hash: token } }, device);
    if ('msg' in verified) return withMessage(target, verified.msg, mode);
    if (mode === 'query') return withCode(target, await issueCodeFor(input, tx, verified, type));
    return withSession(target, await openSession(context, tx, { user: verified.user, method: 'otp', device }), {
      type,
    });
  });
}

async function issueCodeFor(
  { at }: RequestContext,
  tx: Tx,
  { user, token }: VerifiedToken,
  type: string,
): Promise<string> {
  const method = FLOWS[type] ?? (token === 'confirmation_token' ? 'email/signup' : 'magiclink');
  const flow = await lockLatestFlow(tx, user.id, method);
  if (flow === undefined) {
    const why = 'No associated flow state found. No valid flow state found for user.';
    throw new AuthError(400, ERRORS.flowNotFound().code, why);
  }
  return issueAuthCode(tx, { flow, userId: user.id, at });
}
