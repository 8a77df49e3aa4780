import { rememberFileName } from './file-names.ts';
import { keepKey } from './keys.ts';
import { numericId } from './local-id.ts';
import type { Entry } from './outbox/entry.ts';

/** Which row a local id became, for as long as this tab knows the local one (history, session storage). */
const PREFIX = 'exchanged_id:';

/**
 * Once the outbox has made the row of a local contribution, its screens go on with the row's id, its key (D9) and the
 * names of its files. Any other id stays what it is.
 */
export function exchangedId(id: string, entries: readonly Entry[]): string {
  if (numericId(id) !== undefined) return id;
  const known = sessionStorage.getItem(PREFIX + id);
  if (known !== null) return known;
  const entry = entries.find((candidate) => candidate.contentId === id);
  if (entry === undefined || entry.row.status !== 'known') return id;
  const real = String(entry.row.id);
  keepKey(real, entry.key);
  for (const { content } of entry.parts) {
    if ('bytes' in content) rememberFileName(`${real}/${content.fileName}`, content.name);
  }
  sessionStorage.setItem(PREFIX + id, real);
  return real;
}
