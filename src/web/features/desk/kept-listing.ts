import type { Listing } from './listing.ts';

type Shown = Extract<Listing, { status: 'ready' }>;

/** The list one came from: what it was, and the row that was opened. In memory only, and of one person only. */
type Kept = Readonly<{ owner: string; listing: Shown; opened: number | undefined }>;

let kept: Kept | undefined;

export function keptListing(owner: string, search: string): Kept | undefined {
  return kept?.owner === owner && kept.listing.of === search ? kept : undefined;
}

export function keepListing(owner: string, listing: Shown): void {
  kept = { owner, listing, opened: keptListing(owner, listing.of)?.opened };
}

/** Where the eye was: the row that has the focus on the way back. */
export function keepOpened(owner: string, search: string, opened: number): void {
  const before = keptListing(owner, search);
  if (before !== undefined) kept = { ...before, opened };
}
