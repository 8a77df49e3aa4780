import type { Listing } from './listing.ts';

type Shown = Extract<Listing, { status: 'ready' }>;

/** The last list and the row opened from it, in memory and for one account only. */
type CachedListing = Readonly<{ owner: string; listing: Shown; opened: number | undefined }>;

let kept: CachedListing | undefined;

export function getCachedListing(owner: string, search: string): CachedListing | undefined {
  return kept?.owner === owner && kept.listing.search === search ? kept : undefined;
}

export function cacheListing(owner: string, listing: Shown): void {
  kept = { owner, listing, opened: getCachedListing(owner, listing.search)?.opened };
}

/** Remembers the opened row, which gets the focus on the way back. */
export function cacheOpened(owner: string, search: string, opened: number): void {
  const before = getCachedListing(owner, search);
  if (before !== undefined) kept = { ...before, opened };
}
