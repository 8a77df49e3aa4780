import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { AuthError, ERRORS, oauthError } from '../errors.ts';
import { redeemCallback, type ProviderSignIn } from '../external/authorization.ts';
import { acceptInvitation, addIdentity } from '../external/link-identity.ts';
import { getProvider, type Provider } from '../external/providers.ts';
import { signInWithIdentity, type ProviderIdentity, type SignInOutcome } from '../external/sign-in-with-identity.ts';
import { getCodeChallenge, isFlowExpired, issueAuthCode, type ProviderTokens } from '../auth-code.ts';
import { toErrorParameters, withCode, withProviderError, withQuery, withSession } from '../redirects.ts';
import { deleteFlow, findFlow, lockFlow, takeClientState, type FlowStateRow } from '../repository/flows.ts';
import type { UserRow } from '../repository/users.ts';
import { publicRoute, type RequestContext, type Route } from '../route.ts';
import { openSession } from '../sessions/issue.ts';

const Params = z.record(z.string(), z.union([z.string(), z.array(z.string())])).catch({});

/** GET /callback: back from another provider, 302 on to where the flow began, with a session, a code or an error. */
export const callback = publicRoute({ method: 'GET', url: '/callback', limit: 'authorize' }, (input) =>
  handleCallback(input, input.request.query),
);

/** POST /callback: the same for providers that answer with a form. */
export const callbackForm: Route = publicRoute({ method: 'POST', url: '/callback', limit: 'authorize' }, (input) =>
  handleCallback(input, input.request.body),
);

async function handleCallback(input: RequestContext, given: unknown): Promise<unknown> {
  const { context, reply } = input;
  const params = parseParameters(given);
  const flow = await findPendingFlow(input, params.get('state') ?? '').catch(toAuthError);
  if (flow instanceof AuthError) {
    return reply.redirect(withQuery(context.auth.site_url, toErrorParameters(flow)), 303);
  }
  const home = flow.referrer ?? context.auth.site_url;
  try {
    return reply.redirect(await finishSignIn(input, flow, params, home), 302);
  } catch (error) {
    const failure = toAuthError(error);
    if (failure.status >= 500)
      context.log.warn({ cause: formatCause(failure) }, 'sign-in with identity provider failed');
    return reply.redirect(withProviderError(home, failure), 302);
  }
}

/** Of repeated parameters the first counts. */
function parseParameters(given: unknown): URLSearchParams {
  const entries = Object.entries(Params.parse(given ?? {}));
  return new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, Array.isArray(value) ? (value[0] ?? '') : value]),
  );
}

async function finishSignIn(
  input: RequestContext,
  flow: FlowStateRow,
  params: URLSearchParams,
  home: string,
): Promise<string> {
  const { context } = input;
  const oauthErrorName = params.get('error');
  if (oauthErrorName !== null) throw oauthError(oauthErrorName, params.get('error_description') ?? '');
  if (params.get('code') === null) {
    throw new AuthError(400, 'bad_oauth_callback', 'OAuth callback with missing authorization code missing');
  }
  const provider = getProvider(context.auth, context.externalUrl, flow.provider_type);
  const verifier = await takeVerifier(input, flow);
  const signIn = await redeemCallback(context.connections, provider, { params, state: flow.id, verifier });
  if (signIn.profile.emails.length === 0 && !provider.emailOptional) {
    throw new AuthError(500, 'unexpected_failure', 'Error getting user email from external provider');
  }
  return context.database
    .asOwner(async (tx) => completeFlow(tx, input, { flow, provider, signIn, home }))
    .then(refuseOrRedirect);
}

type FinishedSignIn = Readonly<{ flow: FlowStateRow; provider: Provider; signIn: ProviderSignIn; home: string }>;
type Landing = Readonly<{ url: string }> | Extract<SignInOutcome, { kind: 'refused' }>;

async function completeFlow(
  tx: Tx,
  input: RequestContext,
  { flow, provider, signIn, home }: FinishedSignIn,
): Promise<Landing> {
  const held = await lockFlow(tx, flow.id);
  if (held === undefined || held.user_id !== null) throw ERRORS.flowUsed();
  const identity = { provider: provider.name, emailOptional: provider.emailOptional, profile: signIn.profile };
  const outcome = await resolveUser(tx, input, flow, identity);
  if (outcome.kind === 'refused') return outcome;
  return { url: await buildLanding(tx, input, { flow, user: outcome.user, tokens: signIn.tokens, home }) };
}

async function resolveUser(
  tx: Tx,
  input: RequestContext,
  flow: FlowStateRow,
  identity: ProviderIdentity,
): Promise<SignInOutcome> {
  if (flow.linking_target_id !== null) return addIdentity(tx, input, identity, flow.linking_target_id);
  if (flow.invite_token === null) return signInWithIdentity(tx, input, identity);
  return { kind: 'user', user: await acceptInvitation(tx, input, identity, flow.invite_token) };
}

async function buildLanding(
  tx: Tx,
  { context, device, at }: RequestContext,
  { flow, user, tokens, home }: Readonly<{ flow: FlowStateRow; user: UserRow; tokens: ProviderTokens; home: string }>,
): Promise<string> {
  if (getCodeChallenge(flow) !== undefined) {
    return withCode(home, await issueAuthCode(tx, { flow, userId: user.id, tokens, at }));
  }
  await deleteFlow(tx, flow.id);
  const session = await openSession(context, tx, { user, method: 'oauth', device, provider: flow.provider_type });
  const refresh = tokens.refreshToken === undefined ? {} : { provider_refresh_token: tokens.refreshToken };
  return withSession(home, session, { provider_token: tokens.accessToken, ...refresh });
}

async function refuseOrRedirect(landing: Landing): Promise<string> {
  if ('url' in landing) return landing.url;
  await landing.send();
  throw landing.error;
}

const Uuid = z.guid();

/** Finds the unfinished flow of a `state`. Throws AuthError. */
async function findPendingFlow({ context }: RequestContext, state: string): Promise<FlowStateRow> {
  if (state === '') throw new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing');
  if (!Uuid.safeParse(state).success) throw new AuthError(400, 'bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await context.database.asOwner((tx) => findFlow(tx, state));
  if (flow === undefined || flow.authentication_method !== 'oauth') {
    throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired');
  }
  if (isFlowExpired(flow, context.now())) throw new AuthError(400, 'bad_oauth_state', 'OAuth state has expired');
  if (flow.user_id !== null) throw ERRORS.flowUsed();
  return flow;
}

/** Hides an unexpected error behind a general one; its cause is for the log. */
export function toAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const failure = ERRORS.unexpected();
  failure.cause = error;
  return failure;
}

/** Takes our PKCE verifier for one use. Throws AuthError. */
async function takeVerifier({ context }: RequestContext, flow: FlowStateRow): Promise<string> {
  const id = flow.oauth_client_state_id;
  const verifier =
    id === null ? undefined : await context.database.asOwner((tx) => takeClientState(tx, id, flow.provider_type));
  if (verifier === undefined) throw new AuthError(422, 'oauth_client_state_not_found', 'OAuth state not found');
  return verifier;
}

/** Formats the cause for the log without the error object, which may carry tokens. */
export function formatCause({ cause, message }: AuthError): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
