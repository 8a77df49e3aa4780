import { useCallback, useSyncExternalStore } from 'react';
import type { Entry } from './entry.ts';
import { browserOutbox, type Outbox } from './outbox.ts';

const NONE: readonly Entry[] = [];

export type OutboxHandle = Pick<Outbox, 'retry' | 'remove' | 'progressOf'> & Readonly<{ entries: readonly Entry[] }>;

/** The entries of this owner, and nobody else's. */
export function useOutbox(owner: string): OutboxHandle {
  const outbox = browserOutbox();
  const read = useCallback(() => outbox.entriesOf(owner) ?? NONE, [outbox, owner]);
  const entries = useSyncExternalStore(outbox.subscribe, read);
  return { entries, retry: outbox.retry, remove: outbox.remove, progressOf: outbox.progressOf };
}
