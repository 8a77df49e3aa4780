import type { Tx } from '../../database/index.ts';
import { queryText } from '../body.ts';
import { publicCall, type Ask } from '../call.ts';
import { AuthError, FAULTS, invalid } from '../errors.ts';
import { issueAuthCode } from '../flows/auth-code.ts';
import { withCode, withFault, withMessage, withSession, type Reader } from '../flows/landing.ts';
import { PKCE_PREFIX } from '../mail/codes.ts';
import { lockFlowOf, type FlowMethod } from '../records/flow-states.ts';
import { acceptedRedirect } from '../redirects.ts';
import { openSession } from '../sessions/issue.ts';
import { spendToken, type Proven } from '../sessions/verify.ts';

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
