import type { Entry } from '../outbox/entry.ts';
import { browserOutbox } from '../outbox/outbox.ts';

/** For tests: what lies in the outbox of this owner, part by part. */
export async function keptBy(owner: string): Promise<readonly (Pick<Entry, 'contentId'> & { parts: string[] })[]> {
  const entries = await browserOutbox().store.list(owner);
  return entries.map(({ contentId, parts }) => ({
    contentId,
    parts: parts.map(({ content }) => ('bytes' in content ? content.name : content.kind)),
  }));
}

export async function emptyOutbox(owner: string): Promise<void> {
  for (const { id } of await browserOutbox().store.list(owner)) await browserOutbox().remove(id);
}
