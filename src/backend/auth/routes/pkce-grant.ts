import type { Tx } from '../../database/index.ts';
import { isBanned } from '../authenticate.ts';
import { ERRORS, invalid } from '../errors.ts';
import { getCodeChallenge, hashCode, isFlowExpired, unseal } from '../flows/auth-code.ts';
import { verifierMatches } from '../flows/code-challenge.ts';
import { deleteFlow, lockFlowByCode, type FlowStateRow } from '../repository/flows.ts';
import { findUserById, type UserRow } from '../repository/users.ts';
import type { RequestContext } from '../route.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

type WithProviderTokens = SessionJson & Readonly<{ provider_token?: string; provider_refresh_token?: string }>;

/** Exchanges the code of a flow, once, with the verifier behind its challenge (supabase-contract §1.4). */
export function pkceGrant({ context, body, device }: RequestContext<TokenBody>): Promise<WithProviderTokens> {
  const { auth_code: code, code_verifier: verifier } = body;
  if (code === '' || verifier === '') {
    throw invalid('invalid request: both auth code and code verifier should be non-empty');
  }
  return context.database.asOwner(async (tx) => {
    const { flow, user } = await findFinishedFlow(tx, code);
    if (isFlowExpired(flow, context.now())) throw ERRORS.flowExpired();
    const challenge = getCodeChallenge(flow);
    if (challenge === undefined || !verifierMatches(challenge, verifier)) throw ERRORS.badVerifier();
    if (isBanned(user, context.now())) throw ERRORS.bannedLogin();
    await deleteFlow(tx, flow.id);
    const provider = flow.authentication_method === 'oauth' ? { provider: flow.provider_type } : {};
    const session = await openSession(context, tx, { user, method: flow.authentication_method, device, ...provider });
    return { ...session, ...unsealProviderTokens(flow, code) };
  });
}

async function findFinishedFlow(tx: Tx, code: string): Promise<{ flow: FlowStateRow; user: UserRow }> {
  const flow = await lockFlowByCode(tx, hashCode(code));
  const user = typeof flow?.user_id === 'string' ? await findUserById(tx, flow.user_id) : undefined;
  if (flow === undefined || user === undefined) throw ERRORS.flowNotFound();
  return { flow, user };
}

function unsealProviderTokens(flow: FlowStateRow, code: string): Partial<WithProviderTokens> {
  const { provider_access_token: access, provider_refresh_token: refresh } = flow;
  return {
    ...(access === null ? {} : { provider_token: unseal(access, code) }),
    ...(refresh === null ? {} : { provider_refresh_token: unseal(refresh, code) }),
  };
}
