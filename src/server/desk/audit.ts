import type { SupabaseClient } from '@supabase/supabase-js';
import { DeskError } from './error.ts';

type Act = 'archive' | 'file' | 'erasure' | 'retention';

/** Writes the audit log before data is sent, so a failure prevents the action. Dossiers write their own lines. */
export async function audit(
  client: SupabaseClient,
  what: Act,
  { contribution, detail = {} }: Readonly<{ contribution?: number; detail?: Readonly<Record<string, number>> }>,
): Promise<void> {
  const { error } = await client.rpc('desk_audit', { interview_id: contribution ?? null, what, detail });
  if (error !== null) throw new DeskError('backend_failed', { cause: error });
}
