import type { AreaId } from '#contract/areas.ts';
import type { ContributionKind } from '#contract/desk.ts';
import type { Topic } from '#contract/topics.ts';
import type { BackendClient } from './client.ts';

/** Where a contribution was begun. Without a kind the desk tells it by the files. */
export type Origin = Readonly<{ area: AreaId; kind?: ContributionKind; topic?: Topic }>;

/**
 * Table `contribution_origins`; the first origin of a contribution stays. Never rejects: no flow waits for it or ends
 * over it.
 */
export async function tellOrigin(backend: BackendClient, id: number, { area, kind, topic }: Origin): Promise<void> {
  const row = { interview_id: id, area, kind: kind ?? null, topic: topic ?? null };
  const { error } = await backend.supabase
    .from('contribution_origins')
    .upsert(row, { onConflict: 'interview_id', ignoreDuplicates: true });
  if (error !== null) console.warn('contribution_origins: not written', error.code);
}
