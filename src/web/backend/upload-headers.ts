import type { BackendClient } from './client.ts';

/**
 * What every upload carries besides its body: who sends it, for which contribution (D9), and that it may be repeated.
 */
export async function uploadHeaders({ config, supabase, interviewKey }: BackendClient) {
  const { data } = await supabase.auth.getSession();
  const headers: Record<string, string> = {
    authorization: `Bearer ${data.session?.access_token ?? config.supabaseKey}`,
    apikey: config.supabaseKey,
    'x-upsert': 'true',
  };
  if (interviewKey !== undefined) headers['x-interview-key'] = interviewKey;
  return headers;
}
