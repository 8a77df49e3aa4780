import type { SupabaseClient } from '@supabase/supabase-js';
import { DeskContributionSchema, type DeskChange, type DeskState } from '#contract/desk.ts';
import type { People } from './people.ts';
import type { Sample } from './sample.ts';

/** The states on the way to each one. */
const WAY: Readonly<Record<DeskState, readonly DeskState[]>> = {
  new: [],
  in_progress: ['in_progress'],
  for_review: ['in_progress', 'for_review'],
  published: ['in_progress', 'for_review', 'published'],
  rejected: ['rejected'],
};

/** What the team does with it at the desk, as the first admin. */
export async function workOn(people: People, sample: Sample, id: number): Promise<void> {
  const changes = changesOf(sample);
  if (changes.length === 0 && sample.assigned !== true) return;
  const admin = await people.clientOf('admin');
  let version = (await call(admin, 'desk_contribution', { id })).version;
  const change = async (wanted: DeskChange): Promise<void> => {
    version = (await call(admin, 'desk_change', { id, version, change: wanted })).version;
  };
  if (sample.assigned === true) {
    const { data, error } = await admin.auth.getUser();
    if (error !== null) throw error;
    await change({ assignee: data.user.id });
  }
  for (const wanted of changes) await change(wanted);
}

function changesOf({ key, state = 'new', review, notes = [] }: Sample): DeskChange[] {
  const moves = WAY[state].map((next): DeskChange => {
    if (next === 'for_review' && review !== undefined) return { state: next, text: review };
    if (next === 'published') return { state: next, url: `https://beispiel.test/beitraege/${key}` };
    return { state: next };
  });
  return [...notes.map((note): DeskChange => ({ note })), ...moves];
}

async function call(admin: SupabaseClient, name: 'desk_contribution' | 'desk_change', given: object) {
  const { data, error } = await admin.rpc(name, given);
  if (error !== null) throw error;
  return DeskContributionSchema.parse(data);
}
