import * as openid from 'openid-client';
import { readQuery } from '../body.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { buildAuthorizationUrl } from '../external/authorization.ts';
import { ProviderError, getProvider, type Provider } from '../external/providers.ts';
import { parseCodeChallenge } from '../flows/code-challenge.ts';
import { resolveRedirect } from '../redirects.ts';
import { insertClientState, insertFlow } from '../repository/flows.ts';
import { findToken } from '../repository/one-time-tokens.ts';
import { publicRoute, userRoute, type RequestContext } from '../route.ts';

/** GET /authorize?provider&redirect_to&scopes&code_challenge…: 302 to another provider. */
export const authorize = publicRoute({ method: 'GET', url: '/authorize', limit: 'authorize' }, async (input) =>
  input.reply.redirect(await beginAuthorization(input), 302),
);

/** GET /user/identities/authorize: like GET /authorize, but the identity is added to the caller's account. */
export const linkIdentity = userRoute({ method: 'GET', url: '/user/identities/authorize' }, async (input, { user }) => {
  const { context, request, reply } = input;
  if (!context.auth.enable_manual_linking) throw ERRORS.manualLinkingDisabled();
  const url = await beginAuthorization(input, user.id);
  return readQuery(request, 'skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302);
});

/** Parameters that this service sets itself or that are meant for it alone. */
// prettier-ignore
const RESERVED_PARAMETERS = new Set([
  'client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'state', 'scope', 'code_challenge',
  'code_challenge_method', 'code_verifier', 'nonce', 'request', 'request_uri',
  'provider', 'scopes', 'redirect_to', 'invite_token', 'skip_http_redirect', 'apikey',
]);

/** Begins a flow and returns the provider's sign-in URL. Throws AuthError. */
async function beginAuthorization(input: RequestContext, linkingTargetId?: string): Promise<string> {
  const { context, request, at } = input;
  const provider = requireProvider(input, readQuery(request, 'provider'));
  const challenge = parseCodeChallenge({
    code_challenge: readQuery(request, 'code_challenge'),
    code_challenge_method: readQuery(request, 'code_challenge_method'),
  });
  const inviteToken = await findInvitation(input);
  const verifier = openid.randomPKCECodeVerifier();
  const referrer = resolveRedirect(readQuery(request, 'redirect_to'), context.auth);
  const state = await context.database.asOwner(async (tx) => {
    const clientStateId = await insertClientState(tx, provider.name, verifier, at);
    const flow = { method: 'oauth', provider: provider.name, challenge, inviteToken, linkingTargetId } as const;
    return insertFlow(tx, { ...flow, referrer, clientStateId, at });
  });
  const to = { state, verifier, scopes: readQuery(request, 'scopes'), extra: readExtraParameters(input) };
  return buildAuthorizationUrl(context.connections, provider, to).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'identity provider not reached');
    throw unsupportedProvider(`provider ${provider.name} could not be reached`);
  });
}

function requireProvider({ context }: RequestContext, name: string): Provider {
  try {
    const provider = getProvider(context.auth, context.externalUrl, name);
    if (provider.secret === '') throw new ProviderError('missing OAuth secret');
    return provider;
  } catch (error) {
    if (error instanceof ProviderError) throw unsupportedProvider(error.message);
    throw error;
  }
}

function unsupportedProvider(why: string): AuthError {
  return invalid(`Unsupported provider: ${why}`);
}

async function findInvitation({ context, request }: RequestContext): Promise<string | undefined> {
  const token = readQuery(request, 'invite_token');
  if (token === '') return undefined;
  const found = await context.database.asOwner((tx) => findToken(tx, token, 'confirmation_token'));
  if (found === undefined) throw new AuthError(404, 'user_not_found', 'User identified by token not found');
  return token;
}

/** Passes `prompt`, `login_hint` and the like on to the provider. */
function readExtraParameters({ request }: RequestContext): Record<string, string> {
  const query = new URL(request.url, 'http://localhost').searchParams;
  return Object.fromEntries([...query].filter(([name]) => !RESERVED_PARAMETERS.has(name.toLowerCase())));
}
