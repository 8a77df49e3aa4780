import { useMemo, useRef, useState } from 'react';
import { useBackendConfig, useBackendLoader } from '#web/backend/client.ts';
import type { Area } from '#contract/areas.ts';
import type { ContentId, ContentKind } from './content-id.ts';
import { rememberFileName } from './files.ts';
import { useFlow } from './flow.ts';
import { keepKey } from './keys.ts';
import { loadSending } from './load-sending.ts';
import { numericId } from './local-id.ts';
import type { Entry } from './outbox/entry.ts';
import { browserOutbox, ownerHere, useOutbox } from './outbox/outbox.ts';
import { moveHeld } from './outbox/use-keep-on-device.ts';
import { EXCHANGED, submissionStore, type SubmissionStore } from './store.ts';
import { type ChosenFiles, findBegun, noteBegun } from './use-chosen-files.ts';

type Submission = Readonly<{
  store: SubmissionStore;
  /** From the navigation state, else from session storage; makes nothing. */
  currentId: () => string | undefined;
  /** §4 'Interview id resolution', going on with `known`. Calls at the same time get the same id. */
  ensureId: (kind: ContentKind, known?: string) => Promise<ContentId>;
  /** The database's id in place of a local one that the outbox has exchanged meanwhile; the store takes it over. */
  exchangeIfKnown: (id: string) => string;
}>;

/** The contribution this screen works on. The screen is drawn again when its local id has been exchanged. */
export function useSubmission(): Submission {
  const { area, state, way } = useFlow();
  const loadBackend = useBackendLoader();
  const running = useRef<Promise<ContentId> | undefined>(undefined);
  const owner = ownerHere(useBackendConfig());
  const store = useStore(area, owner);
  useOutbox(owner);
  const fromState = state.interviewId;
  return useMemo(() => {
    const exchangeIfKnown = (id: string): string => {
      const real = exchangedId(id, browserOutbox().getEntries(owner) ?? []);
      if (real === id) return id;
      store.exchange(id, real);
      moveHeld(id, real);
      return real;
    };
    const exchangeGiven = (id: string | undefined) => (id === undefined ? undefined : exchangeIfKnown(id));
    return {
      store,
      exchangeIfKnown,
      currentId: () => exchangeGiven(fromState ?? store.interviewId()),
      ensureId: async (kind, known) => {
        const given = exchangeGiven(known);
        if (given !== undefined && numericId(given) !== undefined) return { id: given, source: 'session' };
        const resolve = async (): Promise<ContentId> => {
          const { resolveContentId } = await loadSending();
          const backend = await loadBackend();
          // Only for the store, which `resolveContentId` reads.
          exchangeGiven(store.interviewId());
          const requireNew = store.openInterviewId() === undefined;
          const request = { fromState: given ?? exchangeGiven(fromState), kind, requireNew, way };
          return resolveContentId({ area, backend, store, owner }, request);
        };
        return (running.current ??= resolve().finally(() => {
          running.current = undefined;
        }));
      },
    };
  }, [area, loadBackend, store, owner, fromState, way]);
}

/** A new store for every owner, because a store keeps nothing once its owner's data has been cleared. */
function useStore({ storageKeys }: Area, owner: string): SubmissionStore {
  const { store } = useMemo(() => ({ owner, store: submissionStore(storageKeys) }), [storageKeys, owner]);
  return store;
}

/**
 * The contribution of one upload screen. A later attempt on this screen continues it, and so does a screen opened later
 * with the same file, because the file's path contains the contribution's id.
 */
export function useUploadContribution({ files }: ChosenFiles) {
  const { ensureId, exchangeIfKnown } = useSubmission();
  const [made, setMade] = useState<string>();
  const findId = (): string | undefined => {
    const known = made ?? files.map(findBegun).find(Boolean);
    return known === undefined ? undefined : exchangeIfKnown(known);
  };
  const ensureUploadId = async (kind: ContentKind): Promise<ContentId> => {
    const content = await ensureId(kind, findId());
    for (const { file } of files) noteBegun(file, content.id);
    setMade(content.id);
    return content;
  };
  return { uploadId: findId(), ensureUploadId };
}

/**
 * Once the outbox has made the row of a local contribution, its screens go on with the row's id, its key (D9) and the
 * names of its files. Any other id stays what it is.
 */
export function exchangedId(id: string, entries: readonly Entry[]): string {
  if (numericId(id) !== undefined) return id;
  const known = sessionStorage.getItem(EXCHANGED + id);
  if (known !== null) return known;
  const entry = entries.find((candidate) => candidate.contentId === id);
  if (entry === undefined || entry.row.status !== 'known') return id;
  const real = String(entry.row.id);
  keepKey(real, entry.key);
  for (const { content } of entry.parts) {
    if ('bytes' in content) rememberFileName(`${real}/${content.fileName}`, content.name);
  }
  return real;
}
