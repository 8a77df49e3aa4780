import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { publicCall, type Ask } from '../call.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { enterFrom } from '../external/enter.ts';
import { causeOf, faultOf } from '../external/returning.ts';
import { challengeOfFlow, issueAuthCode } from '../flows/auth-code.ts';
import { membersOfFault, withCode, withQuery, withSession } from '../flows/landing.ts';
import { deleteFlow, lockFlow } from '../records/flow-states.ts';
import { spendAssertion } from '../records/relay-states.ts';
import type { UserRow } from '../records/users.ts';
import { acceptedRedirect } from '../redirects.ts';
import type { Assertion } from '../saml/assertion.ts';
import { profileOfAssertion } from '../saml/attributes.ts';
import { replayableUntil } from '../saml/judge.ts';
import { acceptResponse } from '../saml/party.ts';
import { currentMetadata } from '../saml/current-metadata.ts';
import { requireSaml } from '../saml/require.ts';
import { startOf, type Start } from '../saml/start.ts';
import { openSession } from '../sessions/issue.ts';

const Form = z.object({
  SAMLResponse: z.string().default(''),
  RelayState: z.string().default(''),
  SAMLart: z.string().default(''),
});

/** POST /sso/saml/acs: the browser brings what the identity provider says; 302 on with a session or a code. */
export const samlAcs = publicCall({ method: 'POST', url: '/sso/saml/acs', limit: 'saml' }, async (ask) => {
  const { context, request, reply } = ask;
  requireSaml(context);
  const form = Form.catch({ SAMLResponse: '', RelayState: '', SAMLart: '' }).parse(request.body ?? {});
  try {
    const start = await startOf(ask, form);
    return reply.redirect(await arrive(ask, start, form.SAMLResponse), 302);
  } catch (error) {
    const fault = faultOf(error);
    if (fault.status >= 500) context.log.warn({ cause: causeOf(fault) }, 'company sign-on failed');
    return reply.redirect(withQuery(context.auth.site_url, membersOfFault(fault)), 303);
  }
});

async function arrive(ask: Ask, start: Start, samlResponse: string): Promise<string> {
  const { context } = ask;
  const idp = await currentMetadata(context, start.provider);
  const assertion = await acceptResponse(context, { samlResponse, idp, requestId: start.requestId });
  const profile = profileOfAssertion(assertion, start.provider.attribute_mapping ?? {});
  const provider = `sso:${start.provider.id}`;
  return context.database.asOwner(async (tx) => {
    await spendOnce(tx, ask, start, assertion);
    const outcome = await enterFrom(tx, ask, { provider, emailOptional: false, profile });
    // The identity provider vouches for every address it tells, so nobody is sent a mail first.
    if (outcome.kind === 'refused') throw outcome.fault;
    return land(tx, ask, start, { user: outcome.user, provider, sessionEnd: assertion.sessionEnd });
  });
}

async function spendOnce(tx: Tx, { at }: Ask, { provider }: Start, assertion: Assertion): Promise<void> {
  const used = { ssoProviderId: provider.id, assertionId: assertion.id, until: replayableUntil(assertion), at };
  if (!(await spendAssertion(tx, used))) {
    throw new AuthError(400, 'validation_failed', 'SAML Assertion is not valid');
  }
}

type Entering = Readonly<{ user: UserRow; provider: string; sessionEnd: number | undefined }>;

async function land(tx: Tx, ask: Ask, start: Start, { user, provider, sessionEnd }: Entering): Promise<string> {
  const { context, device, at } = ask;
  const home = acceptedRedirect(start.redirectTo, context.auth);
  const flow = start.flowStateId === undefined ? undefined : await lockFlow(tx, start.flowStateId);
  if (flow !== undefined && challengeOfFlow(flow) !== undefined) {
    if (flow.user_id !== null) throw FAULTS.flowUsed();
    return withCode(home, await issueAuthCode(tx, { flow, userId: user.id, at }));
  }
  if (flow !== undefined) await deleteFlow(tx, flow.id);
  const end = sessionEnd === undefined ? {} : { notAfter: new Date(sessionEnd) };
  return withSession(home, await openSession(context, tx, { user, method: 'sso/saml', device, provider, ...end }), {});
}
