import type { AuthChangeEvent, AuthError, Session } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import { factorStateOf } from './assurance.ts';
import type { BackendClient } from './client.ts';
import { clearUserData } from './browser-storage.ts';
import { lastRole, lookUpRole } from './role.ts';
import { sessionReducer, sessionUser, type SessionEvent, type SessionState } from './session-state.ts';
import { fragmentHasSession, sessionStorageKey, storedAccessToken, storedUser } from './stored-session.ts';

export type SessionStore = Readonly<{
  /** What this installation is. */
  config: AppConfig;
  getState: () => SessionState;
  subscribe: (listener: () => void) => () => void;
  dispatch: (event: SessionEvent) => void;
  /** The client, loaded at the first call: the login screen is there before it. */
  backend: () => Promise<BackendClient>;
  /** Looks the session up and follows it from then on. Returns the way to stop. */
  start: () => () => void;
  refreshRole: () => Promise<void>;
  /** After a refusal: whether there is still a session, and which role it has. */
  recheck: () => Promise<void>;
  /** §4 'Logout', without toast and navigation: those are the screen's. Never fails. */
  signOut: () => Promise<void>;
}>;

export type ConnectBackend = (config: AppConfig) => Promise<BackendClient>;

/** One per page. Events of supabase-js go in, the states of `session-state.ts` come out. */
export function createSessionStore(config: AppConfig, connect: ConnectBackend): SessionStore {
  let state: SessionState = { status: 'initialising' };
  let client: Promise<BackendClient> | undefined;
  const listeners = new Set<() => void>();
  const sessionKey = sessionStorageKey(config.supabaseUrl);

  const getState = (): SessionState => state;
  const dispatch = (event: SessionEvent): void => {
    const next = sessionReducer(state, event);
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const backend = (): Promise<BackendClient> => {
    client ??= follow(connect(config));
    return client;
  };
  const refreshRole = async (): Promise<void> => {
    if (state.status !== 'signed-in') return;
    const userId = state.user.id;
    dispatch({ type: 'role-retry' });
    const unreachable = { kind: 'unreachable', lastKnown: lastRole(userId) } as const;
    const answer = await backend()
      .then(({ supabase }) => lookUpRole(supabase, userId))
      .catch(() => unreachable);
    dispatch({ type: 'role', userId, answer });
  };
  let rechecking: Promise<void> | undefined;
  const recheck = async (): Promise<void> => {
    rechecking ??= askAgain().finally(() => (rechecking = undefined));
    return rechecking;
  };
  const askAgain = async (): Promise<void> => {
    if (state.status !== 'signed-in') return;
    try {
      const { supabase } = await backend();
      // A new token is told by an event, which asks for the role. One that is refused keeps the session until the old one ends.
      const { error } = await supabase.auth.refreshSession();
      if (error !== null && isOver(error)) await supabase.auth.signOut({ scope: 'local' });
    } catch {
      // Nobody answers at the moment; the next refusal asks again.
    }
  };
  const onAuthEvent = (event: AuthChangeEvent, session: Session | null): void => {
    const user = session === null ? offlineUser(event, config) : sessionUser(session.user);
    const recovery = event === 'PASSWORD_RECOVERY';
    dispatch({ type: 'session', user: user ?? null, recovery, factor: factorStateOf(session) });
    if (user === undefined || !asksForRole(event, state)) return;
    // A line that hangs keeps the answer back for many seconds; nobody waits for it to see a screen seen before.
    const role = event === 'INITIAL_SESSION' ? lastRole(user.id) : undefined;
    if (role !== undefined) dispatch({ type: 'role-remembered', userId: user.id, role });
    // supabase-js holds a lock while it tells; asking it for data has to wait until it is done.
    setTimeout(() => void refreshRole(), 0);
  };
  const follow = async (connecting: Promise<BackendClient>): Promise<BackendClient> => {
    const connected = await connecting.catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    connected.supabase.auth.onAuthStateChange(onAuthEvent);
    return connected;
  };
  const signOut = async (): Promise<void> => {
    const token = storedAccessToken(config.supabaseUrl);
    dispatch({ type: 'logout' });
    clearUserData(sessionKey);
    try {
      const { supabase } = await backend();
      if (token !== undefined) await supabase.auth.admin.signOut(token, 'local');
      await supabase.auth.signOut({ scope: 'local' });
    } catch {
      // §4: errors of the backend are ignored; nothing of the session is left here.
    }
  };
  const start = (): (() => void) => {
    const online = (): void => void refreshRole();
    window.addEventListener('online', online);
    openSession(config, { dispatch, refreshRole, backend });
    return () => window.removeEventListener('online', online);
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { config, getState, subscribe, dispatch, backend, start, refreshRole, recheck, signOut };
}

/** Without a stored session nobody has to wait for the client; without a network a stored one opens at once. */
function openSession(config: AppConfig, store: Pick<SessionStore, 'dispatch' | 'refreshRole' | 'backend'>): void {
  const stored = storedUser(config.supabaseUrl);
  const offline = { type: 'session', user: stored ?? null, factor: factorStateOf(null) } as const;
  const load = (): void => void store.backend().catch(() => store.dispatch(offline));
  if (stored === undefined && !fragmentHasSession(location.hash)) {
    store.dispatch({ type: 'session', user: null });
    soon(load);
    return;
  }
  if (stored !== undefined && !navigator.onLine) {
    store.dispatch(offline);
    const answer = { kind: 'unreachable', lastKnown: lastRole(stored.id) } as const;
    store.dispatch({ type: 'role', userId: stored.id, answer });
  }
  load();
}

/** A session that could not be refreshed for want of a network is still this user's. Refused for good, it is gone from the storage. */
function offlineUser(event: AuthChangeEvent, config: AppConfig) {
  return event === 'SIGNED_OUT' ? undefined : storedUser(config.supabaseUrl);
}

function asksForRole(event: AuthChangeEvent, state: SessionState): boolean {
  if (event === 'TOKEN_REFRESHED') return true;
  return state.status === 'signed-in' && (state.role.status === 'loading' || state.role.status === 'unreachable');
}

/** Refused for good by the service itself: not for want of a network, nor for asking too often. */
function isOver({ name, status = 0 }: AuthError): boolean {
  return name === 'AuthSessionMissingError' || (name === 'AuthApiError' && [400, 401, 403].includes(status));
}

/** Not while the login screen is still on its way over a slow line. */
function soon(work: () => void): void {
  setTimeout(work, 1_000);
}
