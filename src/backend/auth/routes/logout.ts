import type { Tx } from '../../database/index.ts';
import type { SignedIn } from '../authenticate.ts';
import { readQuery } from '../body.ts';
import { invalid } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import { deleteSession, deleteUserSessions } from '../repository/sessions.ts';
import { userRoute } from '../route.ts';

const SCOPES = new Set(['global', 'local', 'others']);

/** POST /logout?scope=global|local|others → 204. A session's tokens go with it. */
export const logout = userRoute(
  { method: 'POST', url: '/logout' },
  async ({ context, request, reply, device, at }, me) => {
    const scope = readQuery(request, 'scope') || 'global';
    if (!SCOPES.has(scope)) throw invalid(`Unsupported logout scope "${scope}"`);
    await context.database.asOwner(async (tx) => {
      await endSessions(tx, scope, me);
      await audit(tx, { action: 'logout', actorId: me.user.id, address: device.address, at });
    });
    return reply.code(204).send();
  },
);

/** A token without a session, issued elsewhere, ends all sessions. */
async function endSessions(tx: Tx, scope: string, { user, session }: SignedIn): Promise<void> {
  if (session === undefined || scope === 'global') return deleteUserSessions(tx, user.id, undefined);
  if (scope === 'others') return deleteUserSessions(tx, user.id, session.id);
  return deleteSession(tx, session.id);
}
