import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { AuthError, FAULTS, oauthFault } from '../errors.ts';
import { arrivalOf, type Arrival } from '../external/authorization.ts';
import { acceptInvitation, linkTo } from '../external/link-identity.ts';
import { providerOf, type Provider } from '../external/providers.ts';
import { enterFrom, type Arrived, type Outcome } from '../external/sign-in-with-identity.ts';
import { challengeOfFlow, isFlowOver, issueAuthCode, type ProviderTokens } from '../flows/auth-code.ts';
import { membersOfFault, withCode, withFaultOfProvider, withQuery, withSession } from '../flows/redirect-url.ts';
import { deleteFlow, findFlow, lockFlow, takeClientState, type FlowStateRow } from '../repository/flows.ts';
import type { UserRow } from '../repository/users.ts';
import { publicCall, type Ask, type Call } from '../route.ts';
import { openSession } from '../sessions/issue.ts';

const Params = z.record(z.string(), z.union([z.string(), z.array(z.string())])).catch({});

/** GET /callback: back from another provider, 302 on to where the flow began, with a session, a code or a fault. */
export const callback = publicCall({ method: 'GET', url: '/callback', limit: 'authorize' }, (ask) =>
  come(ask, ask.request.query),
);

/** POST /callback: the same for providers that answer with a form. */
export const callbackForm: Call = publicCall({ method: 'POST', url: '/callback', limit: 'authorize' }, (ask) =>
  come(ask, ask.request.body),
);

async function come(ask: Ask, given: unknown): Promise<unknown> {
  const { context, reply } = ask;
  const params = paramsOf(given);
  const flow = await findBegun(ask, params.get('state') ?? '').catch(faultOf);
  if (flow instanceof AuthError) {
    return reply.redirect(withQuery(context.auth.site_url, membersOfFault(flow)), 303);
  }
  const home = flow.referrer ?? context.auth.site_url;
  try {
    return reply.redirect(await finish(ask, flow, params, home), 302);
  } catch (error) {
    const fault = faultOf(error);
    if (fault.status >= 500) context.log.warn({ cause: causeOf(fault) }, 'sign-in elsewhere failed');
    return reply.redirect(withFaultOfProvider(home, fault), 302);
  }
}

/** Of a parameter that comes twice the first counts, as everywhere. */
function paramsOf(given: unknown): URLSearchParams {
  const entries = Object.entries(Params.parse(given ?? {}));
  return new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, Array.isArray(value) ? (value[0] ?? '') : value]),
  );
}

async function finish(ask: Ask, flow: FlowStateRow, params: URLSearchParams, home: string): Promise<string> {
  const { context } = ask;
  const said = params.get('error');
  if (said !== null) throw oauthFault(said, params.get('error_description') ?? '');
  if (params.get('code') === null) {
    throw new AuthError(400, 'bad_oauth_callback', 'OAuth callback with missing authorization code missing');
  }
  const provider = providerOf(context.auth, context.externalUrl, flow.provider_type);
  const verifier = await spendVerifier(ask, flow);
  const arrival = await arrivalOf(context.connections, provider, { params, state: flow.id, verifier });
  if (arrival.profile.emails.length === 0 && !provider.emailOptional) {
    throw new AuthError(500, 'unexpected_failure', 'Error getting user email from external provider');
  }
  return context.database.asOwner(async (tx) => settle(tx, ask, { flow, provider, arrival, home })).then(sent);
}

type Arriving = Readonly<{ flow: FlowStateRow; provider: Provider; arrival: Arrival; home: string }>;
type Landing = Readonly<{ url: string }> | Extract<Outcome, { kind: 'refused' }>;

async function settle(tx: Tx, ask: Ask, { flow, provider, arrival, home }: Arriving): Promise<Landing> {
  const held = await lockFlow(tx, flow.id);
  if (held === undefined || held.user_id !== null) throw FAULTS.flowUsed();
  const arrived = { provider: provider.name, emailOptional: provider.emailOptional, profile: arrival.profile };
  const outcome = await whoIs(tx, ask, flow, arrived);
  if (outcome.kind === 'refused') return outcome;
  return { url: await land(tx, ask, { flow, user: outcome.user, tokens: arrival.tokens, home }) };
}

async function whoIs(tx: Tx, ask: Ask, flow: FlowStateRow, arrived: Arrived): Promise<Outcome> {
  if (flow.linking_target_id !== null) return linkTo(tx, ask, arrived, flow.linking_target_id);
  if (flow.invite_token === null) return enterFrom(tx, ask, arrived);
  return { kind: 'user', user: await acceptInvitation(tx, ask, arrived, flow.invite_token) };
}

type Landed = Readonly<{ flow: FlowStateRow; user: UserRow; tokens: ProviderTokens; home: string }>;

async function land(tx: Tx, { context, device, at }: Ask, { flow, user, tokens, home }: Landed): Promise<string> {
  if (challengeOfFlow(flow) !== undefined) {
    return withCode(home, await issueAuthCode(tx, { flow, userId: user.id, tokens, at }));
  }
  await deleteFlow(tx, flow.id);
  const session = await openSession(context, tx, { user, method: 'oauth', device, provider: flow.provider_type });
  const refresh = tokens.refreshToken === undefined ? {} : { provider_refresh_token: tokens.refreshToken };
  return withSession(home, session, { provider_token: tokens.accessToken, ...refresh });
}

async function sent(landing: Landing): Promise<string> {
  if ('url' in landing) return landing.url;
  await landing.send();
  throw landing.fault;
}

const Uuid = z.guid();

/** The flow that a `state` stands for, if somebody may still come back to it. Throws AuthError. */
async function findBegun({ context }: Ask, state: string): Promise<FlowStateRow> {
  if (state === '') throw new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing');
  if (!Uuid.safeParse(state).success) throw new AuthError(400, 'bad_oauth_state', 'OAuth state parameter is invalid');
  const flow = await context.database.asOwner((tx) => findFlow(tx, state));
  if (flow === undefined || flow.authentication_method !== 'oauth') {
    throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired');
  }
  if (isFlowOver(flow, context.now())) throw new AuthError(400, 'bad_oauth_state', 'OAuth state has expired');
  if (flow.user_id !== null) throw FAULTS.flowUsed();
  return flow;
}

/** What is no fault of the caller's is not told to them; the log gets its cause. */
export function faultOf(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const fault = FAULTS.unexpected();
  fault.cause = error;
  return fault;
}

/** Our half of PKCE, for one use. Throws AuthError. */
async function spendVerifier({ context }: Ask, flow: FlowStateRow): Promise<string> {
  const id = flow.oauth_client_state_id;
  const verifier =
    id === null ? undefined : await context.database.asOwner((tx) => takeClientState(tx, id, flow.provider_type));
  if (verifier === undefined) throw new AuthError(422, 'oauth_client_state_not_found', 'OAuth state not found');
  return verifier;
}

/** For the log: words only, since an error object of a library may carry tokens. */
export function causeOf({ cause, message }: AuthError): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
