import { OWN_PAGE, OwnContributionsSchema, type OwnContribution } from '#contract/own-contributions.ts';
import type { BackendClient } from './client.ts';
import { BackendError } from './errors.ts';
import { getData } from './interviews.ts';

/** Of the last one seen. */
type OwnPlace = Readonly<{ createdAt: string; id: number }>;

/** Where the first page begins. */
export const NEWEST: OwnPlace | null = null;

/** Throws BackendError. */
export async function listOwnContributions(
  { supabase }: BackendClient,
  after: OwnPlace | null,
  signal: AbortSignal,
): Promise<readonly OwnContribution[]> {
  const place = after === null ? {} : { before_at: after.createdAt, before_id: after.id };
  const answer = await supabase.rpc('own_contributions', place).abortSignal(signal);
  const parsed = OwnContributionsSchema.safeParse(getData(answer));
  if (parsed.success) return parsed.data;
  throw new BackendError('failed', 'own_contributions');
}

/** Mails a new review link to the stored address; nothing tells whether there is one. Throws BackendError. */
export async function requestOwnReviewLink({ supabase }: BackendClient, contribution: number): Promise<void> {
  getData(await supabase.rpc('own_review_link', { contribution }));
}

/** Removes what was begun and not handed in; what is gone already is no error. Throws BackendError. */
export async function discardContribution({ supabase }: BackendClient, contribution: number): Promise<void> {
  getData(await supabase.rpc('discard_contribution', { contribution }));
}

/** Where the next page begins; undefined after the last one. */
export function findNextPlace(page: readonly OwnContribution[]): OwnPlace | null | undefined {
  return page.length < OWN_PAGE ? undefined : page.at(-1);
}
