import type { AuthChangeEvent, AuthError, Session } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import {
  getFactorState,
  readClaim,
  type SessionEvent,
  sessionReducer,
  type SessionState,
  sessionUser,
} from './session-state.ts';
import { wasLeftIdle } from './activity.ts';
import type { BackendClient } from './client.ts';
import { clearDataOfOthers, clearUserData, getDataOwner } from './browser-storage.ts';
import { lastRole, lookUpRole, rememberRole } from './role.ts';
import { fragmentHasSession, storedAccessToken, storedLiveSession, storedUser } from './stored-session.ts';

export type SessionStore = Readonly<{
  /** What this installation is. */
  config: AppConfig;
  getState: () => SessionState;
  subscribe: (listener: () => void) => () => void;
  dispatch: (event: SessionEvent) => void;
  /** The client, loaded at the first call: the login screen is there before it. The promise is one that `use` takes. */
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

type StoreParts = Pick<SessionStore, 'config' | 'getState' | 'dispatch' | 'backend'> &
  Readonly<{
    /** Ids of the sessions that were logged out on this page. */
    loggedOut: Set<unknown>;
  }>;

/** One per page. Events of supabase-js go in, the states of `session-state.ts` come out. */
export function createSessionStore(config: AppConfig, connect: ConnectBackend): SessionStore {
  const { subscribe, ...observed } = createObservedState();
  let rechecking: Promise<void> | undefined;
  const recheck = (): Promise<void> => {
    rechecking ??= refreshSession(parts).finally(() => (rechecking = undefined));
    return rechecking;
  };
  const backend = createLazyClient(
    async () => ({ ...(await connect(config)), recheck }),
    ({ supabase }) => supabase.auth.onAuthStateChange(onAuthEvent),
  );
  const parts: StoreParts = { config, ...observed, backend, loggedOut: new Set() };
  // Before anything is drawn, so that the first screen is drawn once.
  const opened = openStoredSession(parts);
  const refreshRole = (): Promise<void> => loadRole(parts);
  const onAuthEvent = createAuthListener(parts, refreshRole);
  const start = (): (() => void) => {
    const online = (): void => void refreshRole();
    window.addEventListener('online', online);
    // Leaves a slow line to the first screen.
    if (opened) setTimeout(() => void backend().catch(() => undefined), 1_000);
    else openWithClient(parts);
    return () => window.removeEventListener('online', online);
  };
  const signOut = (): Promise<void> => endSession(parts);
  return { ...parts, subscribe, start, refreshRole, recheck, signOut };
}

function createObservedState(): Pick<SessionStore, 'getState' | 'subscribe' | 'dispatch'> {
  let state: SessionState = { status: 'initialising' };
  const listeners = new Set<() => void>();
  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch: (event) => {
      const next = sessionReducer(state, event);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Connects at the first call, and again at the next one where that failed. */
function createLazyClient(
  connect: () => Promise<BackendClient>,
  follow: (client: BackendClient) => void,
): SessionStore['backend'] {
  let client: Promise<BackendClient> | undefined;
  const first = async (): Promise<BackendClient> => {
    const value = await connect().catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    follow(value);
    // `use` reads these two at once, where a promise without them would suspend the screen first.
    if (client !== undefined) void Object.assign(client, { status: 'fulfilled', value });
    return value;
  };
  return () => (client ??= first());
}

async function loadRole({ config, getState, dispatch, backend }: StoreParts): Promise<void> {
  const state = getState();
  if (state.status !== 'signed-in') return;
  const userId = state.user.id;
  dispatch({ type: 'role-retry' });
  const unreachable = { kind: 'unreachable', lastKnown: lastRole(userId) } as const;
  const answer = await backend()
    .then(({ supabase }) => lookUpRole(supabase, userId))
    .catch(() => unreachable);
  // §4: where a logout, here or in another tab, has cleared the storage, the answer leaves nothing in it.
  if (storedUser(config.supabaseUrl)?.id === userId) rememberRole(userId, answer);
  dispatch({ type: 'role', userId, answer });
}

async function refreshSession({ config, getState, backend }: StoreParts): Promise<void> {
  if (getState().status !== 'signed-in') return;
  try {
    const { supabase } = await backend();
    const token = storedAccessToken(config.supabaseUrl);
    // An event announces a new token and asks for the role. A refused one keeps the session until the old token ends.
    const { error } = await supabase.auth.refreshSession();
    const isSame = token === storedAccessToken(config.supabaseUrl);
    if (error !== null && hasEnded(error) && isSame) await supabase.auth.signOut({ scope: 'local' });
  } catch {
    // No answer; the next refusal asks again.
  }
}

type OnAuthEvent = (event: AuthChangeEvent, session: Session | null) => void;

function createAuthListener(parts: StoreParts, refreshRole: () => Promise<void>): OnAuthEvent {
  const { config, getState, dispatch, backend, loggedOut } = parts;
  /** The user whose role is being requested: supabase-js reports one session twice. */
  let awaited: string | undefined;
  return (event, session) => {
    // When a request such as a change of password is answered after the logout, supabase-js stores its session again.
    if (session !== null && loggedOut.has(getSessionId(session.access_token))) {
      setTimeout(() => void backend().then(({ supabase }) => supabase.auth.signOut({ scope: 'local' })), 0);
      return;
    }
    clearDataOfOtherAccounts(config);
    // A logout, here or in another tab, has removed the owner; a session that is refused for good leaves it.
    if (event === 'SIGNED_OUT')
      return dispatch(getDataOwner() === null ? { type: 'logout' } : { type: 'session', user: null });
    // A session that could not be refreshed for want of a network is still this user's.
    const user = session === null ? storedUser(config.supabaseUrl) : sessionUser(session.user);
    // Ended by the new password, in whichever tab it was set.
    const recovery = event === 'PASSWORD_RECOVERY' || (event === 'USER_UPDATED' ? false : undefined);
    dispatch({ type: 'session', user: user ?? null, recovery, factor: getFactorState(session) });
    if (user === undefined || !needsRole(event, getState())) return;
    // On a line that hangs the answer takes many seconds; the role seen last shows the screen at once.
    const role = event === 'INITIAL_SESSION' ? lastRole(user.id) : undefined;
    if (role !== undefined) dispatch({ type: 'role-remembered', userId: user.id, role });
    if (awaited === user.id && event !== 'TOKEN_REFRESHED') return;
    awaited = user.id;
    // supabase-js holds a lock while it tells; asking it for data has to wait until it is done.
    setTimeout(() => void refreshRole().finally(() => (awaited = undefined)), 0);
  };
}

/** Looks at the stored session, because an event may be about one that has been replaced since. */
function clearDataOfOtherAccounts({ supabaseUrl }: AppConfig): void {
  clearDataOfOthers(storedUser(supabaseUrl)?.id);
}

async function endSession({ config, dispatch, backend, loggedOut }: StoreParts): Promise<void> {
  const token = storedAccessToken(config.supabaseUrl);
  if (token !== undefined) loggedOut.add(getSessionId(token));
  dispatch({ type: 'logout' });
  clearUserData();
  try {
    const { supabase } = await backend();
    // Before the backend answers: by then somebody else may have logged in, and this ends the session that is stored.
    await supabase.auth.signOut({ scope: 'local' });
    if (token !== undefined) await supabase.auth.admin.signOut(token, 'local');
  } catch {
    // §4: errors of the backend are ignored; nothing of the session is left here.
  }
}

/** The token itself where it names no session. */
function getSessionId(token: string): unknown {
  return readClaim(token, 'session_id') ?? token;
}

/**
 * Opens the session without the client: signed out where none is stored, else signed in by a token still valid and
 * a role seen before. Returns whether it was one of these.
 */
function openStoredSession(parts: StoreParts): boolean {
  const { config, dispatch } = parts;
  clearDataOfOtherAccounts(config);
  if (fragmentHasSession(location.hash)) return false;
  const user = storedUser(config.supabaseUrl);
  if (user === undefined) {
    dispatch({ type: 'session', user: null });
    return true;
  }
  // §4: with every tab closed nothing checked the time. A screen that needs the login says so and is remembered for it.
  if (wasLeftIdle()) {
    void endSession(parts);
    // As after a session that ended by itself: see `getDataOwner`.
    clearDataOfOthers(user.id);
    dispatch({ type: 'arrived' });
    return true;
  }
  const live = storedLiveSession(config.supabaseUrl, Date.now());
  const role = lastRole(user.id);
  if (live === undefined || role === undefined) return false;
  dispatch({ type: 'session', user, factor: getFactorState(live) });
  dispatch({ type: 'role-remembered', userId: user.id, role });
  return true;
}

/** A stored session waits for the client; without a network it opens at once. */
function openWithClient({ config, dispatch, backend }: StoreParts): void {
  const stored = storedUser(config.supabaseUrl);
  const offline = { type: 'session', user: stored ?? null, factor: getFactorState(null) } as const;
  if (stored !== undefined && !navigator.onLine) {
    dispatch(offline);
    const answer = { kind: 'unreachable', lastKnown: lastRole(stored.id) } as const;
    dispatch({ type: 'role', userId: stored.id, answer });
  }
  backend().catch(() => dispatch(offline));
}

function needsRole(event: AuthChangeEvent, state: SessionState): boolean {
  if (event === 'TOKEN_REFRESHED') return true;
  if (state.status !== 'signed-in') return false;
  const { role } = state;
  return role.status === 'loading' || role.status === 'unreachable' || (role.status === 'known' && role.remembered);
}

/** Refused for good by the service itself: not for want of a network, nor for asking too often. */
function hasEnded({ name, status = 0 }: AuthError): boolean {
  return name === 'AuthSessionMissingError' || (name === 'AuthApiError' && [400, 401, 403].includes(status));
}
