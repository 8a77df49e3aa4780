import { useState } from 'react';
import type { ImageRights } from '#contract/media-uploads.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { expectReadable } from '#web/backend/readable.ts';
import { rememberFileName } from '../files.ts';
import { useFlow } from '../flow.ts';
import { numericId } from '../local-id.ts';
import { getKeptAnswers, submissionStore, type SubmissionStore } from '../store.ts';
import { shortName } from '../texts.ts';
import { type Entry, isFinished, isOf, type PartDraft } from './entry.ts';
import { browserOutbox, ownerHere, useOutbox } from './outbox.ts';

/** Why nothing was kept: no space on this device, a file (`unreadable`: its name) that it no longer gives, or else. */
type KeepProblem = 'full' | 'failed' | Readonly<{ unreadable: string }>;
type KeepRun = 'idle' | 'saving' | KeepProblem;
type KeepState = 'offered' | 'saving' | 'kept' | KeepProblem;

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
   * where that failed: nothing of what was there is lost then.
   */
  keep: (parts: readonly PartDraft[], contentId?: string) => Promise<boolean>;
}>;

/** 'Auf diesem Gerät sichern' for the contribution at hand; chosen once, it holds for all its later screens. */
export function useKeepOnDevice(interviewId: string | undefined): KeepHandle {
  const { area } = useFlow();
  const owner = ownerHere(useBackendConfig());
  const { entries } = useOutbox(owner);
  const [run, setRun] = useState<KeepRun>('idle');
  const entry = entries.find((candidate) => isOf(candidate, interviewId) && !isFinished(candidate));
  const keep = async (parts: readonly PartDraft[], contentId = interviewId): Promise<boolean> => {
    if (contentId === undefined) return false;
    setRun('saving');
    try {
      void navigator.storage?.persist?.().catch(() => false);
      const inMemory = getHeldParts(contentId);
      const held = inMemory.filter((part) => !parts.some((given) => isSamePart(given, part)));
      const all = withEarlier(submissionStore(area.storageKeys), contentId, [...held, ...parts]);
      const unreadable = await findUnreadable(all);
      if (unreadable !== undefined) {
        setRun({ unreadable });
        return false;
      }
      const kept = await browserOutbox().keep({ owner, area: area.id, contentId }, all);
      for (const { fileName, name } of kept) rememberFileName(`${contentId}/${fileName}`, name);
      if (inMemory.length > 0) releaseParts();
      setRun('idle');
      return true;
    } catch (error) {
      console.warn('outbox: not kept', error instanceof Error ? error.name : '');
      setRun(getProblem(error));
      return false;
    }
  };
  return { state: getState(run, entry), entry, keep };
}

/** The name of a file that would only half be kept. */
async function findUnreadable(parts: readonly PartDraft[]): Promise<string | undefined> {
  for (const part of parts) {
    if (!('blob' in part)) continue;
    const readable = await expectReadable(part.blob).then(
      () => true,
      () => false,
    );
    if (!readable) return shortName(part.name);
  }
  return undefined;
}

function getProblem(error: unknown): KeepProblem {
  return error instanceof DOMException && error.name === 'QuotaExceededError' ? 'full' : 'failed';
}

function getState(run: KeepRun, entry: Entry | undefined): KeepState {
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
  const answers = getKeptAnswers(contentId);
  // First, as contact details end what a key alone may hand in (D9).
  return [
    ...(text.trim() === '' || has('transcript') ? [] : [{ kind: 'transcript', text } as const]),
    ...(answers === undefined || has('answers') ? [] : [{ kind: 'answers', answers } as const]),
    ...parts,
  ];
}

/**
 * §4 'files are only kept in memory': what could not be sent of a contribution, as long as this page is open. Its
 * upload screen finds the files again, and 'Auf diesem Gerät sichern' takes all of it along. At most one
 * contribution's.
 */
let held: Readonly<{ interviewId: string; parts: readonly PartDraft[] }> | undefined;

export function holdParts(interviewId: string, parts: readonly PartDraft[]): void {
  held = { interviewId, parts };
}

export function getHeldParts(interviewId: string | undefined): readonly PartDraft[] {
  return held !== undefined && held.interviewId === interviewId ? held.parts : [];
}

export function getHeldFiles(interviewId: string | undefined): readonly HeldFile[] {
  return getHeldParts(interviewId).flatMap((part) =>
    'blob' in part && part.blob instanceof File ? [{ file: part.blob, imageRights: part.imageRights }] : [],
  );
}

export type HeldFile = Readonly<{ file: File; imageRights: ImageRights | undefined }>;

export function releaseParts(): void {
  held = undefined;
}
