import { z } from 'zod';
import type { Ask } from '../call.ts';
import { durationMs } from '../durations.ts';
import { AuthError, invalid } from '../errors.ts';
import { takeRelayState, type RelayStateRow } from '../records/relay-states.ts';
import { findSsoProvider, findSsoProviderByEntity, type SsoProviderRow } from '../records/sso-providers.ts';
import { readXml } from './xml.ts';

/** How a response came about: it answers a request of ours, or the identity provider sent the browser by itself. */
export type Start = Readonly<{
  provider: SsoProviderRow;
  requestId: string | undefined;
  redirectTo: string;
  flowStateId: string | undefined;
}>;

export type AcsForm = Readonly<{ SAMLResponse: string; RelayState: string; SAMLart: string }>;

const Uuid = z.guid();
const TWO_MINUTES = 120_000;

/** Throws AuthError. A relay state is spent by this, whatever the response is worth. */
export async function startOf(ask: Ask, form: AcsForm): Promise<Start> {
  const { RelayState: relayState } = form;
  const start = Uuid.safeParse(relayState).success ? await asked(ask, relayState) : await unasked(ask, form);
  if (start.provider.disabled !== true) return start;
  const why = 'SSO Provider assigned for this domain is currently disabled';
  throw new AuthError(404, 'sso_provider_disabled', why);
}

async function asked({ context }: Ask, relayState: string): Promise<Start> {
  const found = await context.database.asOwner(async (tx) => {
    const state = await takeRelayState(tx, relayState);
    return state && { state, provider: await findSsoProvider(tx, state.sso_provider_id) };
  });
  if (found === undefined) {
    const why = 'SAML RelayState does not exist, try logging in again?';
    throw new AuthError(404, 'saml_relay_state_not_found', why);
  }
  const validMs = durationMs(context.auth.saml.relay_state_validity_period) ?? TWO_MINUTES;
  if (isOver(found.state, validMs, context.now())) {
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

function isOver(state: RelayStateRow, validMs: number, now: number): boolean {
  return now - state.created_at.getTime() >= validMs;
}

/** The relay state may then be where the browser is to go. */
async function unasked({ context }: Ask, form: AcsForm): Promise<Start> {
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

/** Whoever the response claims to be from: only to find the keys that it has to be signed with. */
async function claimedIssuer(samlResponse: string): Promise<string> {
  if (!/^[A-Za-z0-9+/=\s]*$/.test(samlResponse)) throw invalid('SAMLResponse is not a valid Base64 string');
  const xml = Buffer.from(samlResponse, 'base64').toString();
  const root = Response.safeParse(await readXml(xml).catch(() => undefined));
  const issuer = root.data?.Response.Issuer[0]?._.trim();
  if (issuer === undefined || issuer.includes('\0')) throw invalid('SAMLResponse is not a valid XML SAML assertion');
  return issuer;
}
