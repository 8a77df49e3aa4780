import type { SupabaseClient } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import { CONTRIBUTION_KINDS, type ContributionKind } from '#contract/desk.ts';

/** §3 'Role statistics per role', as the database function `admin_statistics` gives them (D13). */
const UserActivitySchema = z.object({
  user_id: z.string(),
  user_email: z.string(),
  interviews_count: z.number(),
  media_uploads_count: z.number(),
  last_activity: z.nullable(z.string()),
});
const RoleStatisticsSchema = z.object({
  role: z.string(),
  total_interviews: z.number(),
  total_media_uploads: z.number(),
  active_users: z.number(),
  users: z.array(UserActivitySchema),
});

export type UserActivity = z.infer<typeof UserActivitySchema>;
export type RoleStatistics = z.infer<typeof RoleStatisticsSchema>;

/** Throws an Error with the backend's message. */
export async function loadStatistics(
  supabase: SupabaseClient,
  signal: AbortSignal,
): Promise<readonly RoleStatistics[]> {
  const { data, error } = await supabase.rpc('admin_statistics').abortSignal(signal);
  if (error !== null) throw new Error(error.message);
  return z.array(RoleStatisticsSchema).parse(data);
}

/** §9: the most active users first; activity is interviews plus uploads. Users without activity are left out. */
export function topUsers(users: readonly UserActivity[], count: number): readonly UserActivity[] {
  return users
    .filter((user) => countActivity(user) > 0)
    .toSorted((a, b) => countActivity(b) - countActivity(a))
    .slice(0, count);
}

export function countActivity(user: UserActivity): number {
  return user.interviews_count + user.media_uploads_count;
}

/** `start`: the week's Monday, as yyyy-mm-dd. Contributions by kind, and files. */
export type WeekActivity = Readonly<{
  start: string;
  contributions: Readonly<Record<ContributionKind, number>>;
  files: number;
}>;

const ActivityRowSchema = z.object({
  week: z.string(),
  kind: z.enum([...CONTRIBUTION_KINDS, 'file']),
  total: z.number(),
});

const NOTHING = { interview: 0, voice_message: 0, video: 0, image: 0, document: 0, contributor: 0 };

/** The last weeks, the present one last. Throws an Error with the backend's message. */
export async function loadActivity(
  supabase: SupabaseClient,
  weeks: number,
  signal: AbortSignal,
): Promise<readonly WeekActivity[]> {
  const { data, error } = await supabase.rpc('admin_activity', { weeks }).abortSignal(signal);
  if (error !== null) throw new Error(error.message);
  const found = new Map<string, { -readonly [Key in keyof WeekActivity]: WeekActivity[Key] }>();
  for (const { week, kind, total } of z.array(ActivityRowSchema).parse(data)) {
    const counted = found.get(week) ?? { start: week, contributions: NOTHING, files: 0 };
    if (kind === 'file') counted.files = total;
    else counted.contributions = { ...counted.contributions, [kind]: total };
    found.set(week, counted);
  }
  return [...found.values()];
}
