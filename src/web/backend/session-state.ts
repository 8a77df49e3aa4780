import type { Role } from '#contract/roles.ts';

/** §3 'Logged-in user view'. */
export type SessionUser = Readonly<{ id: string; email: string; username: string }>;

/** `remembered`: read from this browser because the backend has not answered (yet). */
export type RoleState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'known'; role: Role; remembered: boolean }>
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'unreachable' }>;

export type SessionState =
  | Readonly<{ status: 'initialising' }>
  /** `left`: by logout, so the path left behind is not remembered for the next login (§4). */
  | Readonly<{ status: 'signed-out'; left: boolean }>
  | Readonly<{ status: 'signed-in'; user: SessionUser; role: RoleState; recovery: boolean; factor: FactorState }>;

/** The account's second factor: there is none, it has yet to be shown, it was shown. */
export type FactorState = 'none' | 'due' | 'shown';

export type RoleAnswer =
  | Readonly<{ kind: 'role'; role: Role }>
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'unreachable'; lastKnown: Role | undefined }>;

export type SessionEvent =
  | Readonly<{ type: 'session'; user: SessionUser | null; recovery?: boolean | undefined; factor?: FactorState }>
  | Readonly<{ type: 'role'; userId: string; answer: RoleAnswer }>
  /** Until the backend answers, the role it last named. */
  | Readonly<{ type: 'role-remembered'; userId: string; role: Role }>
  | Readonly<{ type: 'logout' }>
  /** The login screen has been reached after a logout. */
  | Readonly<{ type: 'arrived' }>
  | Readonly<{ type: 'role-retry' }>;

/** §3: the part of the e-mail before the at-sign, fallback 'benutzer'. */
export function sessionUser(user: Readonly<{ id: string; email?: string | undefined }>): SessionUser {
  const email = user.email ?? '';
  return { id: user.id, email, username: email.split('@')[0] || 'benutzer' };
}

/** Every way a session can go (§4 'Authentication'). Late answers about another user change nothing. */
export function sessionReducer(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session':
      return event.user === null ? signedOut(state) : signedIn(state, event, event.user);
    case 'role':
      if (state.status !== 'signed-in' || state.user.id !== event.userId) return state;
      return { ...state, role: roleAfter(state.role, event.answer) };
    case 'role-remembered':
      if (state.status !== 'signed-in' || state.user.id !== event.userId || state.role.status !== 'loading')
        return state;
      return { ...state, role: { status: 'known', role: event.role, remembered: true } };
    case 'role-retry':
      return state.status === 'signed-in' && state.role.status === 'unreachable'
        ? { ...state, role: { status: 'loading' } }
        : state;
    case 'logout':
      return state.status === 'signed-out' ? state : { status: 'signed-out', left: true };
    default:
      event.type satisfies 'arrived';
      return state.status === 'signed-out' ? { status: 'signed-out', left: false } : state;
  }
}

function signedOut(state: SessionState): SessionState {
  return state.status === 'signed-out' ? state : { status: 'signed-out', left: false };
}

type SignIn = Readonly<{ recovery?: boolean | undefined; factor?: FactorState }>;

function signedIn(state: SessionState, { recovery, factor = 'none' }: SignIn, user: SessionUser): SessionState {
  const same = state.status === 'signed-in' && state.user.id === user.id;
  const before = same ? state : ({ role: { status: 'loading' }, recovery: false } as const);
  return { status: 'signed-in', user, role: before.role, recovery: recovery ?? before.recovery, factor };
}

function roleAfter(before: RoleState, answer: RoleAnswer): RoleState {
  if (answer.kind === 'role') return { status: 'known', role: answer.role, remembered: false };
  if (answer.kind === 'none') return { status: 'none' };
  if (before.status === 'known' || before.status === 'none') return before;
  if (answer.lastKnown === undefined) return { status: 'unreachable' };
  return { status: 'known', role: answer.lastKnown, remembered: true };
}

type FactorClaims = Readonly<{
  access_token: string;
  user: Readonly<{ factors?: readonly Readonly<{ status: string }>[] | undefined }>;
}>;

/** How the session stands to the account's second factor. Grants nothing: the backend decides. */
export function getFactorState(session: FactorClaims | null): FactorState {
  // Without a network the backend cannot be asked; only data of this browser is shown then.
  if (session === null) return 'shown';
  if (readClaim(session.access_token, 'aal') === 'aal2') return 'shown';
  return session.user.factors?.some(({ status }) => status === 'verified') === true ? 'due' : 'none';
}

/** A claim of an access token; undefined where it cannot be read. */
export function readClaim(token: string, name: string): unknown {
  try {
    const part = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    return new Map<string, unknown>(Object.entries(JSON.parse(atob(part)) as object)).get(name);
  } catch {
    return undefined;
  }
}
