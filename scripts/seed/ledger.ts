import { createHash } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#backend/index.ts';
import type { Sample } from './sample.ts';

/** Which demo contributions an installation has. */
export type Ledger = Readonly<{
  /** Contributions that no sample stands for. */
  others: number;
  isComplete: (sample: Sample) => boolean;
  /** Removes what a run that was interrupted left of it. */
  removeRest: (sample: Sample, service: SupabaseClient) => Promise<void>;
  /** Dates the contribution back; a dated one is complete. */
  complete: (sample: Sample, id: number) => Promise<void>;
}>;

type Row = { hash: string | null; id: string; complete: boolean | null };
type Found = Readonly<{ id: number; complete: boolean }>;

const DAY_S = 86_400;
const BUCKET = 'Media';

/** Tables whose rows the database leaves as they are, and the triggers that see to it. */
const NEVER_CHANGED = [
  ['post_versions', 'on_version_change'],
  ['review_answers', 'on_answer_change'],
] as const;

/**
 * Header `x-submission-token` of the sample's insert: the database keeps its hash as long as the contribution (decision
 * 0041).
 */
export function getToken({ key }: Sample): string {
  return createHash('sha256').update(`demo contribution ${key}`).digest('base64url');
}

export async function openLedger(database: Database, samples: readonly Sample[]): Promise<Ledger> {
  const hashes = new Map(
    samples.map((sample) => [createHash('sha256').update(getToken(sample)).digest('hex'), sample.key]),
  );
  const { rows } = await database.asOwner((tx) =>
    tx.query<Row>(
      `select encode(t.token_hash, 'hex') as hash, i.id, i.created_at < t.created_at - interval '1 hour' as complete
       from public.interviews as i left join private.submission_tokens as t on t.interview_id = i.id`,
    ),
  );
  const found = new Map<string, Found>();
  for (const row of rows) {
    const key = hashes.get(row.hash ?? '');
    if (key !== undefined) found.set(key, { id: Number(row.id), complete: row.complete ?? false });
  }
  return {
    others: rows.length - found.size,
    isComplete: ({ key }) => found.get(key)?.complete ?? false,
    removeRest: async ({ key }, service) => {
      const rest = found.get(key);
      if (rest !== undefined) await removeContribution(service, rest.id);
    },
    complete: (sample, id) => dateBack(database, id, sample.daysAgo),
  };
}

async function removeContribution(service: SupabaseClient, id: number): Promise<void> {
  const files = await service.from('media_uploads').select('file_path').eq('interview_id', id);
  if (files.error !== null) throw files.error;
  const paths = files.data.map((row: { file_path: string }) => row.file_path);
  if (paths.length > 0) await service.storage.from(BUCKET).remove(paths);
  const { error } = await service.from('interviews').delete().eq('id', id);
  if (error !== null) throw error;
}

/** Everything that bears a time moves by the same span, so that it keeps its order. Only the owner may set times. */
async function dateBack(database: Database, id: number, daysAgo: number): Promise<void> {
  const span = daysAgo * DAY_S;
  const shift = (column: string): string => `${column} = ${column} - make_interval(secs => $2)`;
  await database.asOwner(async (tx) => {
    for (const [table, trigger] of NEVER_CHANGED) {
      const posts = '(select p.id from public.posts as p where p.interview_id = $1)';
      await tx.query(`alter table public.${table} disable trigger ${trigger}`);
      await tx.query(`update public.${table} set ${shift('created_at')} where post_id in ${posts}`, [id, span]);
      await tx.query(`alter table public.${table} enable trigger ${trigger}`);
    }
    for (const statement of [
      `update public.media_uploads set ${shift('created_at')} where interview_id = $1`,
      `update public.interview_turns set created_at = created_at - make_interval(secs => $2 - position * 20) where interview_id = $1`,
      `update private.desk_events set ${shift('at')} where interview_id = $1`,
      `update public.posts set ${shift('created_at')}, ${shift('changed_at')}, ${shift('published_at')}, ${shift('withdrawn_at')} where interview_id = $1`,
      `update private.review_links set ${shift('created_at')}, ${shift('expires_at')}, ${shift('first_opened_at')}, ${shift('revoked_at')} where interview_id = $1`,
      `update public.interviews set ${shift('created_at')}, ${shift('completed_at')} where id = $1`,
      // Last, because each of the others counts as a change.
      `update private.desk_items set ${shift('changed_at')} where interview_id = $1`,
    ])
      await tx.query(statement, [id, span]);
  });
}
