import { useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { rememberFileName } from '../file-names.ts';
import { useFlow } from '../flow.ts';
import { heldPartsOf, releaseParts } from '../held.ts';
import { numericId } from '../local-id.ts';
import { submissionStore, type SubmissionStore } from '../store.ts';
import { keptAnswersOf } from '../w-answers.ts';
import type { Entry } from './entry.ts';
import { isFinished, isOf } from './next-step.ts';
import { browserOutbox, type PartDraft } from './outbox.ts';
import { ownerHere } from './owner.ts';
import { useOutbox } from './use-outbox.ts';

export type KeepState = 'offered' | 'saving' | 'kept' | 'full';

export type KeepHandle = Readonly<{
  state: KeepState;
  /**
   * The entry of this contribution, once the user has chosen to keep it and until all of it has arrived: meanwhile
   * whatever else belongs to it goes the same way, so that nothing overtakes it.
   */
  entry: Entry | undefined;
  /**
   * Puts the parts into the outbox, from where they go by themselves; the same part again takes the place of the first.
   * What this browser holds of the contribution already goes with them. `contentId` where it was only made now. False
   * where this device has no room: nothing of what was there is lost then.
   */
  keep: (parts: readonly PartDraft[], contentId?: string) => Promise<boolean>;
}>;

/** 'Auf diesem Gerät sichern' for the contribution at hand; chosen once, it holds for all its later screens. */
export function useKeepOnDevice(interviewId: string | undefined): KeepHandle {
  const { config } = useBackend();
  const { area } = useFlow();
  const owner = ownerHere(config);
  const { entries } = useOutbox(owner);
  const [run, setRun] = useState<'idle' | 'saving' | 'full'>('idle');
  const entry = entries.find((candidate) => isOf(candidate, interviewId) && !isFinished(candidate));
  const keep = async (parts: readonly PartDraft[], contentId = interviewId): Promise<boolean> => {
    if (contentId === undefined) return false;
    setRun('saving');
    try {
      void navigator.storage?.persist?.().catch(() => false);
      const inMemory = heldPartsOf(contentId);
      const held = inMemory.filter((part) => !parts.some((given) => isSamePart(given, part)));
      const all = withEarlier(submissionStore(area.storageKeys), contentId, [...held, ...parts]);
      const kept = await browserOutbox().keep({ owner, area: area.id, contentId }, all);
      for (const { fileName, name } of kept) rememberFileName(`${contentId}/${fileName}`, name);
      if (inMemory.length > 0) releaseParts();
      setRun('idle');
      return true;
    } catch (error) {
      console.warn('outbox: not kept', error instanceof Error ? error.name : '');
      setRun('full');
      return false;
    }
  };
  return { state: stateOf(run, entry), entry, keep };
}

function stateOf(run: 'idle' | 'saving' | 'full', entry: Entry | undefined): KeepState {
  if (run !== 'idle') return run;
  return entry === undefined ? 'offered' : 'kept';
}

function isSamePart(one: PartDraft, other: PartDraft): boolean {
  return 'blob' in one && 'blob' in other ? one.blob === other.blob : one.kind === other.kind;
}

/**
 * What was said or written on an earlier screen of a local contribution belongs to it, even if it is kept from here on
 * only.
 */
function withEarlier(store: SubmissionStore, contentId: string, parts: readonly PartDraft[]): readonly PartDraft[] {
  if (numericId(contentId) !== undefined) return parts;
  const has = (kind: PartDraft['kind']) => parts.some((part) => part.kind === kind);
  const text = store.transcriptInterviewId() === contentId ? (store.transcript() ?? '') : '';
  const answers = keptAnswersOf(contentId);
  // First, as contact details end what a key alone may hand in (D9).
  return [
    ...(text.trim() === '' || has('transcript') ? [] : [{ kind: 'transcript', text } as const]),
    ...(answers === undefined || has('answers') ? [] : [{ kind: 'answers', answers } as const]),
    ...parts,
  ];
}
