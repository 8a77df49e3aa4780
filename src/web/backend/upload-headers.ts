import type { BackendClient } from './client.ts';
import { currentInterviewKey } from './interview-key.ts';

/**
 * What every upload carries besides its body: who sends it, for which contribution (D9), and that it may be repeated.
 */
export async function uploadHeaders(backend: BackendClient, key = backend.interviewKey ?? currentInterviewKey()) {
  const { config, supabase } = backend;
  const { data } = await supabase.auth.getSession();
  const headers: Record<string, string> = {
    authorization: `Bearer ${data.session?.access_token ?? config.supabaseKey}`,
    apikey: config.supabaseKey,
    'x-upsert': 'true',
  };
  if (key !== undefined) headers['x-interview-key'] = key;
  return headers;
}
