import { numericId } from '#web/submission/local-id.ts';
import { keepKey } from '#web/submission/keys.ts';

/** A key as the database takes one: nothing shorter holds 256 bits. */
const KEY = /^[A-Za-z0-9_-]{43,128}$/;

export type ContributorLink = Readonly<{ interviewId: string; key: string }>;

/** D9: `#i=<id>&k=<key>`. */
export function parseContributorLink(fragment: string): ContributorLink | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const interviewId = fields.get('i') ?? '';
  const key = fields.get('k') ?? '';
  return numericId(interviewId) !== undefined && KEY.test(key) ? { interviewId, key } : undefined;
}

/**
 * Takes the link out of the address bar, so that it is not read there or in the history, and keeps its key for this
 * tab.
 */
export function takeContributorLink(): ContributorLink | undefined {
  const link = parseContributorLink(window.location.hash);
  if (/[#&][ik]=/.test(window.location.hash)) {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
  if (link !== undefined) keepKey(link.interviewId, link.key);
  return link;
}
