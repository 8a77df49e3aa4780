import { useState } from 'react';
import type { ImageRights } from '#contract/media-uploads.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { rememberFileName } from '../files.ts';
import { useFlow } from '../flow.ts';
import { submissionStore } from '../store.ts';
import { shortName } from '../texts.ts';
import { makePageMemory } from '../use-running-work.ts';
import { type Entry, isFinished, isOf, type PartDraft, UnreadablePart } from './entry.ts';
import { browserOutbox, ownerHere, useOutbox } from './outbox.ts';

/** Why nothing was kept: no space on this device, a file (`unreadable`: its name) that it no longer gives, or else. */
type KeepProblem = 'full' | 'failed' | Readonly<{ unreadable: string }>;
type KeepRun = 'idle' | 'saving' | KeepProblem;
type KeepState = 'offered' | 'saving' | 'kept' | KeepProblem;

export type KeepHandle = ReturnType<typeof useKeepOnDevice>;

/** 'Auf diesem Gerät sichern' for the contribution at hand; chosen once, it holds for all its later screens. */
export function useKeepOnDevice(interviewId: string | undefined) {
  const { area } = useFlow();
  const owner = ownerHere(useBackendConfig());
  const { entries } = useOutbox(owner);
  const [run, setRun] = useState<KeepRun>('idle');
  /**
   * The entry of this contribution, once the user has chosen to keep it and until all of it has arrived: meanwhile
   * whatever else belongs to it goes the same way, so that nothing overtakes it.
   */
  const entry = entries.find((candidate) => isOf(candidate, interviewId) && !isFinished(candidate));
  /**
   * Puts the parts into the outbox, from where they go by themselves; the same part again takes the place of the first.
   * What this browser holds of the contribution already goes with them. `contentId` where it was only made now. False
   * where that failed: nothing of what was there is lost then.
   */
  const keep = async (parts: readonly PartDraft[], contentId = interviewId, onLost?: (file: Blob) => void) => {
    if (contentId === undefined) return false;
    setRun('saving');
    try {
      void navigator.storage?.persist?.().catch(() => false);
      const inMemory = getHeldParts(contentId);
      const held = inMemory.filter((part) => !parts.some((given) => isSamePart(given, part)));
      const of = { owner, area: area.id, contentId };
      const kept = await browserOutbox().keep(of, [...held, ...parts], submissionStore(area.storageKeys));
      for (const { fileName, name } of kept) rememberFileName(`${contentId}/${fileName}`, name);
      releaseParts(contentId);
      setRun('idle');
      return true;
    } catch (error) {
      console.warn('outbox: not kept', error instanceof Error ? error.name : '');
      setRun(getProblem(error));
      if (error instanceof UnreadablePart) {
        releaseLost(contentId, error.file);
        onLost?.(error.file);
      }
      return false;
    }
  };
  return { state: getState(run, entry), entry, keep };
}

function getProblem(error: unknown): KeepProblem {
  if (error instanceof UnreadablePart) return { unreadable: shortName(error.message) };
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
 * §4 'files are only kept in memory': what could not be sent of a contribution, as long as this page is open. Its
 * upload screen finds the files again, and 'Auf diesem Gerät sichern' takes all of it along. By contribution.
 */
const held = makePageMemory<PartDraft>();
/** Which number a local id has become: a run that began before still names the local one. */
const numbers = new Map<string, string>();

export function moveHeld(localId: string, id: string): void {
  held.set(id, [...getHeldParts(id), ...(held.get(localId) ?? [])]);
  held.delete(localId);
  numbers.set(localId, id);
}

export function holdParts(interviewId: string, parts: readonly PartDraft[]): void {
  held.set(numbers.get(interviewId) ?? interviewId, parts);
}

export function getHeldParts(interviewId: string | undefined): readonly PartDraft[] {
  return held.get(numbers.get(interviewId ?? '') ?? interviewId ?? '') ?? [];
}

export function getHeldFiles(interviewId: string | undefined): readonly HeldFile[] {
  return getHeldParts(interviewId).flatMap((part) =>
    'blob' in part && part.blob instanceof File ? [{ ...part, file: part.blob }] : [],
  );
}

/** `path`: where it was to go when it was tried. */
export type HeldFile = Readonly<{ file: File; path?: string | undefined; imageRights?: ImageRights | undefined }>;

/** Of this contribution: others may be held, too. */
export function releaseParts(interviewId: string): void {
  held.delete(numbers.get(interviewId) ?? interviewId);
}

/** The next attempt goes without a file that cannot be read, unless the screen that has it asks for it again. */
function releaseLost(id: string, lost: Blob): void {
  const staying = getHeldParts(id).filter((part) => !('blob' in part) || part.blob !== lost);
  holdParts(id, staying);
}

export function releaseAllParts(): void {
  held.clear();
}
