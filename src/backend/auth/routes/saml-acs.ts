import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { parseDuration } from '../durations.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { signInWithIdentity } from '../external/sign-in-with-identity.ts';
import { getCodeChallenge, issueAuthCode } from '../auth-code.ts';
import { resolveRedirect, toErrorParameters, withCode, withQuery, withSession } from '../redirects.ts';
import { deleteFlow, lockFlow } from '../repository/flows.ts';
import {
  findSsoProvider,
  findSsoProviderByEntity,
  storeUsedAssertion,
  takeRelayState,
  type SsoProviderRow,
} from '../repository/sso-providers.ts';
import type { UserRow } from '../repository/users.ts';
import { publicRoute, type RequestContext } from '../route.ts';
import { getReplayEnd, type Assertion } from '../saml/assertion.ts';
import { parseAssertionProfile } from '../saml/attributes.ts';
import { getCurrentMetadata } from '../saml/metadata.ts';
import { validateResponse, requireSaml } from '../saml/service-provider.ts';
import { readXml } from '../saml/xml.ts';
import { openSession } from '../sessions/issue.ts';
import { formatCause, toAuthError } from './callback.ts';

const Form = z.object({
  SAMLResponse: z.string().default(''),
  RelayState: z.string().default(''),
  SAMLart: z.string().default(''),
});

/** POST /sso/saml/acs: receives the identity provider's response; 302 on with a session or a code. */
export const samlAcs = publicRoute({ method: 'POST', url: '/sso/saml/acs', limit: 'saml' }, async (input) => {
  const { context, request, reply } = input;
  requireSaml(context);
  const form = Form.catch({ SAMLResponse: '', RelayState: '', SAMLart: '' }).parse(request.body ?? {});
  try {
    const signOn = await resolveSignOn(input, form);
    return reply.redirect(await signIn(input, signOn, form.SAMLResponse), 302);
  } catch (error) {
    const failure = toAuthError(error);
    if (failure.status >= 500) context.log.warn({ cause: formatCause(failure) }, 'company sign-on failed');
    return reply.redirect(withQuery(context.auth.site_url, toErrorParameters(failure)), 303);
  }
});

async function signIn(input: RequestContext, signOn: SignOn, samlResponse: string): Promise<string> {
  const { context } = input;
  const idp = await getCurrentMetadata(context, signOn.provider);
  const assertion = await validateResponse(context, { samlResponse, idp, requestId: signOn.requestId });
  const profile = parseAssertionProfile(assertion, signOn.provider.attribute_mapping ?? {});
  const provider = `sso:${signOn.provider.id}`;
  return context.database.asOwner(async (tx) => {
    await takeAssertion(tx, signOn, assertion);
    const outcome = await signInWithIdentity(tx, input, { provider, emailOptional: false, profile });
    // The identity provider verifies every address, so no confirmation mail is sent.
    if (outcome.kind === 'refused') throw outcome.error;
    return buildLanding(tx, input, signOn, { user: outcome.user, provider, sessionEnd: assertion.sessionEnd });
  });
}

async function takeAssertion(tx: Tx, { provider }: SignOn, assertion: Assertion): Promise<void> {
  const used = { ssoProviderId: provider.id, assertionId: assertion.id, until: getReplayEnd(assertion) };
  if (!(await storeUsedAssertion(tx, used))) {
    throw new AuthError(400, 'validation_failed', 'SAML Assertion is not valid');
  }
}

async function buildLanding(
  tx: Tx,
  input: RequestContext,
  signOn: SignOn,
  { user, provider, sessionEnd }: Readonly<{ user: UserRow; provider: string; sessionEnd: number | undefined }>,
): Promise<string> {
  const { context, device, at } = input;
  const home = resolveRedirect(signOn.redirectTo, context.auth);
  const flow = signOn.flowStateId === undefined ? undefined : await lockFlow(tx, signOn.flowStateId);
  if (flow !== undefined && getCodeChallenge(flow) !== undefined) {
    if (flow.user_id !== null) throw ERRORS.flowUsed();
    return withCode(home, await issueAuthCode(tx, { flow, userId: user.id, at }));
  }
  if (flow !== undefined) await deleteFlow(tx, flow.id);
  const end = sessionEnd === undefined ? {} : { notAfter: new Date(sessionEnd) };
  return withSession(home, await openSession(context, tx, { user, method: 'sso/saml', device, provider, ...end }), {});
}

/** The start of a sign-on: a request of ours, or the identity provider itself. */
type SignOn = Readonly<{
  provider: SsoProviderRow;
  requestId: string | undefined;
  redirectTo: string;
  flowStateId: string | undefined;
}>;

type AcsForm = z.infer<typeof Form>;

const Uuid = z.guid();
const TWO_MINUTES = 120_000;

/** Throws AuthError. Uses up the relay state even where the response is invalid. */
async function resolveSignOn(input: RequestContext, form: AcsForm): Promise<SignOn> {
  const { RelayState: relayState } = form;
  const signOn = Uuid.safeParse(relayState).success
    ? await findRequested(input, relayState)
    : await findUnrequested(input, form);
  if (signOn.provider.disabled !== true) return signOn;
  const why = 'SSO Provider assigned for this domain is currently disabled';
  throw new AuthError(404, 'sso_provider_disabled', why);
}

async function findRequested({ context }: RequestContext, relayState: string): Promise<SignOn> {
  const found = await context.database.asOwner(async (tx) => {
    const state = await takeRelayState(tx, relayState);
    return state && { state, provider: await findSsoProvider(tx, state.sso_provider_id) };
  });
  if (found === undefined) {
    const why = 'SAML RelayState does not exist, try logging in again?';
    throw new AuthError(404, 'saml_relay_state_not_found', why);
  }
  const validMs = parseDuration(context.auth.saml.relay_state_validity_period) ?? TWO_MINUTES;
  if (context.now() - found.state.created_at.getTime() >= validMs) {
    const why = 'SAML RelayState has expired. Try logging in again?';
    throw new AuthError(422, 'saml_relay_state_expired', why);
  }
  if (found.provider === undefined) throw notEstablished();
  const { request_id, redirect_to, flow_state_id } = found.state;
  return {
    provider: found.provider,
    requestId: request_id,
    redirectTo: redirect_to ?? '',
    flowStateId: flow_state_id ?? undefined,
  };
}

/** The relay state may then be the redirect target. */
async function findUnrequested({ context }: RequestContext, form: AcsForm): Promise<SignOn> {
  const { RelayState: target, SAMLResponse, SAMLart } = form;
  if (target !== '' && !/^(?:\/|[a-z][a-z\d+.-]*:)/i.test(target)) {
    throw invalid('SAML RelayState is not a valid UUID or URL');
  }
  if (SAMLart !== '') throw invalid('SAML Artifact response can only be used with SP initiated flow');
  if (SAMLResponse === '') throw invalid('SAMLResponse is missing');
  const entityId = await claimedIssuer(SAMLResponse);
  const provider = await context.database.asOwner((tx) => findSsoProviderByEntity(tx, entityId));
  if (provider === undefined) throw notEstablished();
  return { provider, requestId: undefined, redirectTo: target, flowStateId: undefined };
}

function notEstablished(): AuthError {
  const why = 'A SAML connection has not been established with this Identity Provider';
  return new AuthError(404, 'saml_idp_not_found', why);
}

const Response = z.object({ Response: z.object({ Issuer: z.array(z.object({ _: z.string() })).min(1) }) });

/** Reads the claimed issuer, only to find the keys that must have signed the response. */
async function claimedIssuer(samlResponse: string): Promise<string> {
  if (!/^[A-Za-z0-9+/=\s]*$/.test(samlResponse)) throw invalid('SAMLResponse is not a valid Base64 string');
  const xml = Buffer.from(samlResponse, 'base64').toString();
  const root = Response.safeParse(await readXml(xml).catch(() => undefined));
  const issuer = root.data?.Response.Issuer[0]?._.trim();
  if (issuer === undefined || issuer.includes('\0')) throw invalid('SAMLResponse is not a valid XML SAML assertion');
  return issuer;
}
