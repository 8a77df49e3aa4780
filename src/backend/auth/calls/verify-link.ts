import { queryText } from '../body.ts';
import { publicCall } from '../call.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { acceptedRedirect } from '../redirects.ts';
import { spendToken } from '../sessions/verify.ts';

/** GET /verify?token&type&redirect_to: a click in a mail → 303 with the session, or what went wrong, in the fragment. */
export const verifyLink = publicCall({ method: 'GET', url: '/verify', limit: 'verify' }, async (ask) => {
  const { context, request, reply, device } = ask;
  const target = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const type = queryText(request, 'type');
  const proof = { type, hash: queryText(request, 'token'), expired: FAULTS.linkExpired, device };
  try {
    const answer = await spendToken(context, proof);
    const fragment = 'msg' in answer ? { message: answer.msg } : sessionFragment(answer, type);
    return reply.redirect(withFragment(target, fragment), 303);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const fault = { error: 'access_denied', error_code: error.code, error_description: error.message };
    return reply.redirect(withFragment(target, fault), 303);
  }
});

type Tokens = Readonly<{ access_token: string; expires_at: number; expires_in: number; refresh_token: string }>;

function sessionFragment(session: Tokens, type: string): Record<string, string> {
  return {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: 'bearer',
    type,
  };
}

/** A fragment never reaches a server, so no log keeps a token. `sb` tells the client whose answer this is. */
function withFragment(target: string, members: Record<string, string>): string {
  const url = new URL(target);
  url.hash = new URLSearchParams({ ...members, sb: '' }).toString();
  return url.href;
}
