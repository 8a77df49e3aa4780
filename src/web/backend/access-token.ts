import type { AppConfig } from '#contract/app-config.ts';
import type { BackendClient } from './client.ts';
import { BackendError } from './errors.ts';
import { storedUser } from './stored-session.ts';
import { LOOK_TIMEOUT_MS, within } from './time-limits.ts';

type Login = Readonly<{
  config: Pick<AppConfig, 'supabaseUrl'>;
  supabase: Readonly<{ auth: Pick<BackendClient['supabase']['auth'], 'getSession'> }>;
  /** Whose token alone may be taken. */
  owner?: string | undefined;
}>;

/**
 * The access token of the login; undefined without a login. If a refresh got no answer, supabase-js reports no session
 * for a minute, although one is stored. Throws BackendError 'unreachable' in that case.
 */
export async function findAccessToken({ config, supabase, owner }: Login): Promise<string | undefined> {
  // supabase-js may have to refresh the token first, and waits for that without a limit.
  const { data, error } = await within(LOOK_TIMEOUT_MS, supabase.auth.getSession());
  if (data.session !== null && owner !== undefined && data.session.user.id !== owner)
    throw new BackendError('unreachable', 'another person has logged in');
  if (data.session !== null) return data.session.access_token;
  const isLoggedIn = error !== null || storedUser(config.supabaseUrl) !== undefined;
  if (isLoggedIn) throw new BackendError('unreachable', 'the login has no token now');
  return undefined;
}
