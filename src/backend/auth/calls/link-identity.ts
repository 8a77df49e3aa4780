import { queryText } from '../body.ts';
import { userCall } from '../call.ts';
import { FAULTS } from '../errors.ts';
import { depart } from '../external/depart.ts';

/** GET /user/identities/authorize: as GET /authorize, but what comes back is added to the account of the caller. */
export const linkIdentity = userCall({ method: 'GET', url: '/user/identities/authorize' }, async (ask, { user }) => {
  const { context, request, reply } = ask;
  if (!context.auth.enable_manual_linking) throw FAULTS.manualLinkingDisabled();
  const url = await depart(ask, user.id);
  return queryText(request, 'skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302);
});
