import type { SupabaseClient } from '@supabase/supabase-js';
import { DeskFailure } from './faults.ts';

type Act = 'archive' | 'file' | 'erasure' | 'retention';

/**
 * Written before anything is handed out: what cannot be written down does not happen. Dossiers write their own lines.
 */
export async function audit(
  client: SupabaseClient,
  what: Act,
  { contribution, detail = {} }: Readonly<{ contribution?: number; detail?: Readonly<Record<string, number>> }>,
): Promise<void> {
  const { error } = await client.rpc('desk_audit', { interview_id: contribution ?? null, what, detail });
  if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
}
