import type { Session } from '@supabase/supabase-js';

/** Whether the account has a second factor that this session has not shown yet. Grants nothing: the backend decides. */
export function secondFactorDue(session: Pick<Session, 'access_token' | 'user'> | null): boolean {
  const armed = session?.user.factors?.some(({ status }) => status === 'verified') === true;
  return armed && levelOf(session.access_token) === 'aal1';
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
