import type { Listing } from './listing.ts';

type Shown = Extract<Listing, { status: 'ready' }>;

/** The list one came from: what it was, and the row that was opened. In memory only, and of one person only. */
type CachedListing = Readonly<{ owner: string; listing: Shown; opened: number | undefined }>;

let kept: CachedListing | undefined;

export function getCachedListing(owner: string, search: string): CachedListing | undefined {
  return kept?.owner === owner && kept.listing.search === search ? kept : undefined;
}

export function cacheListing(owner: string, listing: Shown): void {
  kept = { owner, listing, opened: getCachedListing(owner, listing.search)?.opened };
}

/** Where the eye was: the row that has the focus on the way back. */
export function cacheOpened(owner: string, search: string, opened: number): void {
  const before = getCachedListing(owner, search);
  if (before !== undefined) kept = { ...before, opened };
}
