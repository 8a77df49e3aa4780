import { getHome, ownArea } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';
import type { SessionState } from '#web/backend/session-state.ts';
import { FORWARDS, matchRoute, type RouteMatch, type Screen, withoutTrailingSlash } from './routes.ts';

export type Decision =
  | Extract<RoleDecision, { kind: 'render' }>
  /** Always a replace. `keep`: query, fragment and state go along. `remember`: come back here after the login. */
  | Readonly<{
      kind: 'redirect';
      to: string;
      keep?: true;
      remember?: true;
      /** The login is complete: forget the remembered path. */
      complete?: true;
      denied?: 'signed-out' | 'role';
    }>
  | Readonly<{ kind: 'loading'; reason: 'initialising' | 'role' }>
  | Readonly<{ kind: 'role-unreachable' }>
  | Readonly<{ kind: 'not-found' }>;

type Situation = Readonly<{
  path: string;
  session: SessionState;
  savedPath?: string | undefined;
  factorRoles?: readonly Role[];
}>;

const LOGIN = '/login';
const NO_ROLE = '/no-role';
const NEW_PASSWORD = '/passwort-neu';
const ACCOUNT = '/konto';
const SECOND_FACTOR = '/anmeldung-bestaetigen';
/** Shown to everybody, also while a login still asks for something: legal pages, and what a review link opens. */
const ALWAYS_SHOWN: readonly Screen[] = ['imprint', 'privacy', 'review'];

/** The guard (§2.1 steps 1–6, §2.2, D2–D7) as one pure function: the router only carries out what it says. */
export function decideRoute({ path, session, savedPath, factorRoles = [] }: Situation): Decision {
  const forward = FORWARDS.get(withoutTrailingSlash(path));
  if (forward !== undefined) return { kind: 'redirect', to: forward, keep: true };
  const match = matchRoute(path);
  if (match === undefined) return { kind: 'not-found' };
  if (ALWAYS_SHOWN.includes(match.entry.screen)) return { kind: 'render', match };
  if (isFactorDue(session) && match.entry.screen !== 'second-factor')
    return { kind: 'redirect', to: SECOND_FACTOR, ...(match.entry.access.kind !== 'public' && { remember: true }) };
  if (isRecovery(session) && !isFactorDue(session) && match.entry.screen !== 'new-password')
    return { kind: 'redirect', to: NEW_PASSWORD };
  if (lacksFactor(session, factorRoles) && match.entry.screen !== 'account') return { kind: 'redirect', to: ACCOUNT };
  if (match.entry.screen === 'login' || isEntrance(match, session)) return atLogin(match, session, savedPath);
  if (match.entry.access.kind === 'public') return { kind: 'render', match };
  if (session.status === 'initialising') return { kind: 'loading', reason: 'initialising' };
  if (session.status === 'signed-out') return signedOut(match, session.left);
  return signedIn(path, match, session);
}

function isFactorDue(session: SessionState): boolean {
  return session.status === 'signed-in' && session.factor === 'due';
}

/** The role of a person who may go where they like: with a role, and with nothing left that the login asks for. */
export function navigatingRole(session: SessionState, factorRoles: readonly Role[]): Role | undefined {
  if (session.status !== 'signed-in' || session.role.status !== 'known') return undefined;
  const held = isFactorDue(session) || isRecovery(session) || lacksFactor(session, factorRoles);
  return held ? undefined : session.role.role;
}

/** A role that requires a second factor, and an account that has none yet: it is set up first (decision 0063). */
function lacksFactor(session: SessionState, factorRoles: readonly Role[]): boolean {
  if (session.status !== 'signed-in' || session.factor !== 'none' || session.recovery) return false;
  return session.role.status === 'known' && factorRoles.includes(session.role.role);
}

function isRecovery(session: SessionState): boolean {
  return session.status === 'signed-in' && session.recovery;
}

/**
 * The other ways in lead on like the login itself, once somebody is signed in; so does a second factor that is not due.
 */
function isEntrance({ entry }: RouteMatch, session: SessionState): boolean {
  if (session.status !== 'signed-in' || isFactorDue(session)) return false;
  return entry.screen === 'mail-code' || entry.screen === 'company-login' || entry.screen === 'second-factor';
}

/** §2.2: once the role is known, on to the saved path or to the role's home. */
function atLogin(match: RouteMatch, session: SessionState, savedPath: string | undefined): Decision {
  if (session.status === 'initialising') return { kind: 'loading', reason: 'initialising' };
  if (session.status === 'signed-out') return { kind: 'render', match };
  const { role } = session;
  if (role.status === 'loading') return { kind: 'loading', reason: 'role' };
  if (role.status === 'unreachable') return { kind: 'role-unreachable' };
  if (role.status === 'none') return { kind: 'redirect', to: NO_ROLE, complete: true };
  return { kind: 'redirect', to: usableSavedPath(savedPath, role.role) ?? getHome(role.role), complete: true };
}

function signedOut(match: RouteMatch, left: boolean): Decision {
  const { access } = match.entry;
  if (access.kind === 'roles' && access.open) return { kind: 'render', match };
  return left ? { kind: 'redirect', to: LOGIN } : { kind: 'redirect', to: LOGIN, remember: true, denied: 'signed-out' };
}

function signedIn(path: string, match: RouteMatch, { role }: Extract<SessionState, { status: 'signed-in' }>): Decision {
  const { access } = match.entry;
  if (access.kind === 'user') return { kind: 'render', match };
  if (role.status === 'loading') return { kind: 'loading', reason: 'role' };
  if (role.status === 'known') return forRole(path, match, role.role);
  if (access.kind === 'roles' && access.open) return { kind: 'render', match };
  return role.status === 'none' ? { kind: 'redirect', to: NO_ROLE } : { kind: 'role-unreachable' };
}

/** `keep`: query, fragment and state go along. */
type RoleDecision =
  | Readonly<{ kind: 'render'; match: RouteMatch }>
  | Readonly<{ kind: 'redirect'; to: string; keep?: true; denied?: 'role' }>;

/** Steps 5 and 6, and D2: a company or test user's generic route is the twin in the own area, where there is one. */
function forRole(path: string, match: RouteMatch, role: Role): RoleDecision {
  const { access, area } = match.entry;
  if (access.kind !== 'roles' || access.roles.includes(role)) return { kind: 'render', match };
  const own = ownArea(role);
  const twin = `${own?.base ?? ''}${withoutTrailingSlash(path)}`;
  if (area?.id === 'generic' && own !== undefined && own.base !== '' && matchRoute(twin) !== undefined) {
    return { kind: 'redirect', to: twin, keep: true };
  }
  return { kind: 'redirect', to: '/login', denied: 'role' };
}

const ANYWHERE = 'https://same-origin.invalid';

/** Safari knows `URL.canParse` from 17 on. */
function parsePath(path: string): URL | undefined {
  try {
    return new URL(path, ANYWHERE);
  } catch {
    return undefined;
  }
}

/**
 * D7: a saved path is used only when it is a path of this origin, of a known route, which the role may enter (its own
 * twin counts). Gives the path with query and fragment, as the URL parser understands it; else nothing.
 */
export function usableSavedPath(saved: string | undefined, role: Role): string | undefined {
  const url = saved?.startsWith('/') === true ? parsePath(saved) : undefined;
  if (url?.origin !== ANYWHERE) return undefined;
  const match = matchRoute(url.pathname);
  if (match === undefined || match.entry.access.kind === 'public' || match.entry.screen === 'no-role') return undefined;
  const decision = forRole(url.pathname, match, role);
  const enters = decision.kind === 'render' || (decision.kind === 'redirect' && decision.keep === true);
  return enters ? `${url.pathname}${url.search}${url.hash}` : undefined;
}
