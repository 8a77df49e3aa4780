import { z } from 'zod';
import { networkOf } from '#http/network.ts';
import type { Tx } from '../../database/index.ts';
import { validEmail, validPhone } from '../addresses.ts';
import { queryText, Text } from '../body.ts';
import { AuthError, FAULTS, invalid } from '../errors.ts';
import { issueAuthCode } from '../flows/auth-code.ts';
import { withCode, withFault, withMessage, withSession, type Reader } from '../flows/redirect-url.ts';
import { PKCE_PREFIX } from '../mail/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { lockFlowOf, type FlowMethod } from '../repository/flows.ts';
import { publicCall, type Ask } from '../route.ts';
import { openSession } from '../sessions/issue.ts';
import { spendToken, type Evidence, type Proven } from '../sessions/verify-token.ts';

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

const FLOWS: Readonly<Record<string, FlowMethod>> = {
  signup: 'email/signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
};

type Click = Readonly<{ token: string; type: string; target: string; reader: Reader }>;

/** GET /verify?token&type&redirect_to: a click in a mail → 303 with a session or a code, or with what went wrong. */
export const verifyLink = publicCall({ method: 'GET', url: '/verify', limit: 'verify' }, async (ask) => {
  const { context, request, reply } = ask;
  const token = queryText(request, 'token');
  const type = queryText(request, 'type');
  if (type === '') throw invalid('Verify requires a verification type');
  if (token === '') throw invalid('Verify requires a token or a token hash');
  const reader = token.startsWith(PKCE_PREFIX) ? 'query' : 'fragment';
  const target = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  try {
    return reply.redirect(await land(ask, { token, type, target, reader }), 303);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return reply.redirect(withFault(target, error, reader), 303);
  }
});

function land(ask: Ask, { token, type, target, reader }: Click): Promise<string> {
  const { context, device } = ask;
  return context.database.asOwner(async (tx) => {
    const proven = await spendToken(context, tx, { type, by: { kind: 'link', hash: token } }, device);
    if ('msg' in proven) return withMessage(target, proven.msg, reader);
    if (reader === 'query') return withCode(target, await codeFor(ask, tx, proven, type));
    return withSession(target, await openSession(context, tx, { user: proven.user, method: 'otp', device }), { type });
  });
}

async function codeFor({ at }: Ask, tx: Tx, { user, token }: Proven, type: string): Promise<string> {
  const method = FLOWS[type] ?? (token === 'confirmation_token' ? 'email/signup' : 'magiclink');
  const flow = await lockFlowOf(tx, user.id, method);
  if (flow === undefined) {
    const why = 'No associated flow state found. No valid flow state found for user.';
    throw new AuthError(400, FAULTS.flowNotFound().code, why);
  }
  return issueAuthCode(tx, { flow, userId: user.id, at });
}
