import type { BackendClient } from './client.ts';
import { BackendError } from './errors.ts';
import { storedUser } from './stored-session.ts';
import { LOOK_TIMEOUT_MS, within } from './time-limits.ts';

export type Login = Pick<BackendClient, 'config' | 'guest'> & Readonly<{ auth: BackendClient['supabase']['auth'] }>;

/**
 * What requests show: the token of the login, or the public key where nobody is logged in. After a refresh that got no
 * answer supabase-js says for a minute that there is no session, although it is still stored: what was sent with the
 * public key then would belong to nobody for ever. Throws BackendError 'unreachable' instead.
 */
export async function getAccessToken({ config, auth, guest }: Login): Promise<string> {
  if (guest === true) return config.supabaseKey;
  // It may have to be renewed first, and supabase-js waits for that as long as the line hangs.
  const { data, error } = await within(LOOK_TIMEOUT_MS, auth.getSession());
  if (data.session !== null) return data.session.access_token;
  const isLoggedIn = error !== null || storedUser(config.supabaseUrl) !== undefined;
  if (isLoggedIn) throw new BackendError('unreachable', 'the login has no token now');
  return config.supabaseKey;
}
