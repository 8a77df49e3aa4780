import type { SupabaseClient } from '@supabase/supabase-js';
import { DeskContributionSchema, type DeskChange, type DeskState } from '#contract/desk.ts';
import type { People } from './people.ts';
import { makePosts } from './posts.ts';
import type { Sample } from './sample.ts';

/** The states on the way to each one. */
const WAY: Readonly<Record<DeskState, readonly DeskState[]>> = {
  new: [],
  in_progress: ['in_progress'],
  for_review: ['in_progress', 'for_review'],
  published: ['in_progress', 'for_review', 'published'],
  rejected: ['rejected'],
};

/** What the team does with it at the desk, as the first admin. Resolves to the key of its review link. */
export async function workOn(people: People, sample: Sample, id: number): Promise<string | undefined> {
  const { state = 'new', notes = [], posts = [] } = sample;
  if (state === 'new' && notes.length === 0 && posts.length === 0 && sample.assigned !== true) return undefined;
  const admin = await people.openClient('admin');
  const change = async (wanted: DeskChange): Promise<void> => {
    const { version } = await call(admin, 'desk_contribution', { id });
    await call(admin, 'desk_change', { id, version, change: wanted });
  };
  if (sample.assigned === true) {
    const { data, error } = await admin.auth.getUser();
    if (error !== null) throw error;
    await change({ assignee: data.user.id });
  }
  for (const note of notes) await change({ note });
  // Its posts may move the contribution on: what is left of the way begins where it stands then.
  if (posts.length > 0) await change({ state: 'in_progress' });
  const key = await makePosts(people, sample, id);
  const way = WAY[state];
  const { state: reached } = await call(admin, 'desk_contribution', { id });
  for (const next of way.slice(way.indexOf(reached) + 1)) await change(moveTo(sample, next));
  return key;
}

function moveTo({ key, review }: Sample, state: DeskState): DeskChange {
  if (state === 'for_review' && review !== undefined) return { state, text: review };
  if (state === 'published') return { state, url: `https://beispiel.test/beitraege/${key}` };
  return { state };
}

async function call(admin: SupabaseClient, name: 'desk_contribution' | 'desk_change', given: object) {
  const { data, error } = await admin.rpc(name, given);
  if (error !== null) throw error;
  return DeskContributionSchema.parse(data);
}
