import { useEffect } from 'react';
import type { Role } from '#contract/roles.ts';
import { SAVED_PATH } from '#web/backend/browser-storage.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { usePlace } from './place.ts';
import { decideRoute, type Decision } from './decide-route.ts';

/** What the guard decides for the place the user is at. */
export function useGuard(factorRoles: readonly Role[]): Decision {
  const path = usePlace().pathname;
  const session = useSession();
  const store = useSessionStore();
  useEffect(() => {
    if (path === '/login' && session.status === 'signed-out') store.dispatch({ type: 'arrived' });
  }, [path, session.status, store]);
  return decideRoute({ path, session, savedPath: localStorage.getItem(SAVED_PATH) ?? undefined, factorRoles });
}
