import { createContext, use, useSyncExternalStore } from 'react';
import type { BackendClient } from './client.ts';
import type { SessionState, SessionUser } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

const Context = createContext<SessionStore | undefined>(undefined);

export const SessionProvider = Context.Provider;

/** Throws outside of SessionProvider. */
export function useSessionStore(): SessionStore {
  const store = use(Context);
  if (store === undefined) throw new Error('useSessionStore outside of SessionProvider');
  return store;
}

export function useSession(): SessionState {
  const store = useSessionStore();
  return useSyncExternalStore(store.subscribe, store.getState);
}

/** §3 'Logged-in user view'; nothing while nobody is logged in. */
export function useUser(): SessionUser | undefined {
  const session = useSession();
  return session.status === 'signed-in' ? session.user : undefined;
}

/** Waits (Suspense) for the client; for everything below a BackendProvider. */
export function useConnectedBackend(): BackendClient {
  return use(useSessionStore().backend());
}
