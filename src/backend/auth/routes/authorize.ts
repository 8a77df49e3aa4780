import * as openid from 'openid-client';
import { queryText } from '../body.ts';
import { AuthError, FAULTS, invalid } from '../errors.ts';
import { departureUrl } from '../external/authorization.ts';
import { ProviderError, providerOf, type Provider } from '../external/providers.ts';
import { challengeOf } from '../flows/code-challenge.ts';
import { acceptedRedirect } from '../redirects.ts';
import { insertClientState, insertFlow } from '../repository/flows.ts';
import { findToken } from '../repository/one-time-tokens.ts';
import { publicCall, userCall, type Ask } from '../route.ts';

/** GET /authorize?provider&redirect_to&scopes&code_challenge…: 302 to another provider. */
export const authorize = publicCall({ method: 'GET', url: '/authorize', limit: 'authorize' }, async (ask) =>
  ask.reply.redirect(await depart(ask), 302),
);

/** GET /user/identities/authorize: as GET /authorize, but what comes back is added to the account of the caller. */
export const linkIdentity = userCall({ method: 'GET', url: '/user/identities/authorize' }, async (ask, { user }) => {
  const { context, request, reply } = ask;
  if (!context.auth.enable_manual_linking) throw FAULTS.manualLinkingDisabled();
  const url = await depart(ask, user.id);
  return queryText(request, 'skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302);
});

/** What this service decides about the way to the provider; and what is meant for this service alone. */
// prettier-ignore
const OURS = new Set([
  'client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'state', 'scope', 'code_challenge',
  'code_challenge_method', 'code_verifier', 'nonce', 'request', 'request_uri',
  'provider', 'scopes', 'redirect_to', 'invite_token', 'skip_http_redirect', 'apikey',
]);

/** Begins a flow and tells where the browser has to go. Throws AuthError. */
async function depart(ask: Ask, linkingTargetId?: string): Promise<string> {
  const { context, request, at } = ask;
  const provider = usable(ask, queryText(request, 'provider'));
  const challenge = challengeOf({
    code_challenge: queryText(request, 'code_challenge'),
    code_challenge_method: queryText(request, 'code_challenge_method'),
  });
  const inviteToken = await invitation(ask);
  const verifier = openid.randomPKCECodeVerifier();
  const referrer = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const state = await context.database.asOwner(async (tx) => {
    const clientStateId = await insertClientState(tx, provider.name, verifier, at);
    const flow = { method: 'oauth', provider: provider.name, challenge, inviteToken, linkingTargetId } as const;
    return insertFlow(tx, { ...flow, referrer, clientStateId, at });
  });
  const to = { state, verifier, scopes: queryText(request, 'scopes'), more: furtherOf(ask) };
  return departureUrl(context.connections, provider, to).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'provider not reached');
    throw unsupported(`provider ${provider.name} could not be reached`);
  });
}

function usable({ context }: Ask, name: string): Provider {
  try {
    const provider = providerOf(context.auth, context.externalUrl, name);
    if (provider.secret === '') throw new ProviderError('missing OAuth secret');
    return provider;
  } catch (error) {
    if (error instanceof ProviderError) throw unsupported(error.message);
    throw error;
  }
}

function unsupported(why: string): AuthError {
  return invalid(`Unsupported provider: ${why}`);
}

async function invitation({ context, request }: Ask): Promise<string | undefined> {
  const token = queryText(request, 'invite_token');
  if (token === '') return undefined;
  const found = await context.database.asOwner((tx) => findToken(tx, token, 'confirmation_token'));
  if (found === undefined) throw new AuthError(404, 'user_not_found', 'User identified by token not found');
  return token;
}

/** `prompt`, `login_hint` and the like go to the provider as they came. */
function furtherOf({ request }: Ask): Record<string, string> {
  const query = new URL(request.url, 'http://localhost').searchParams;
  return Object.fromEntries([...query].filter(([name]) => !OURS.has(name.toLowerCase())));
}
