/** As the database takes one: nothing shorter holds 256 bits. */
const KEY = /^[A-Za-z0-9_-]{43,128}$/;
/** In the storage of this tab. */
const KEPT = 'review_key';

/**
 * Takes the key out of the address bar, so that it is not read there or in the history, and keeps it for this tab. A
 * link that was cut on its way opens nothing, also where an earlier one did.
 */
export function takeReviewKey(): string | undefined {
  const given = new URLSearchParams(window.location.hash.slice(1)).get('k');
  if (given === null) return sessionStorage.getItem(KEPT) ?? undefined;
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  if (KEY.test(given)) sessionStorage.setItem(KEPT, given);
  else sessionStorage.removeItem(KEPT);
  return sessionStorage.getItem(KEPT) ?? undefined;
}
