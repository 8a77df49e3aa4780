import type { Session } from '@supabase/supabase-js';
import type { FactorState } from './session-state.ts';

/** How the session stands to the account's second factor. Grants nothing: the backend decides. */
export function factorStateOf(session: Pick<Session, 'access_token' | 'user'> | null): FactorState {
  // Without a network the backend cannot be asked; only data of this browser is shown then.
  if (session === null) return 'shown';
  if (levelOf(session.access_token) === 'aal2') return 'shown';
  return session.user.factors?.some(({ status }) => status === 'verified') === true ? 'due' : 'none';
}

/** The claim `aal` of a token; undefined where it cannot be read. */
function levelOf(token: string): unknown {
  try {
    const part = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const claims: unknown = JSON.parse(atob(part));
    return typeof claims === 'object' && claims !== null && 'aal' in claims ? claims.aal : undefined;
  } catch {
    return undefined;
  }
}
