import type { PartDraft } from './outbox/outbox.ts';

/**
 * §4 'files are only kept in memory': what could not be sent of a contribution, as long as this page is open. Its
 * upload screen finds the files again, and 'Auf diesem Gerät sichern' takes all of it along. At most one
 * contribution's.
 */
let held: Readonly<{ interviewId: string; parts: readonly PartDraft[] }> | undefined;

export function holdParts(interviewId: string, parts: readonly PartDraft[]): void {
  held = { interviewId, parts };
}

export function heldPartsOf(interviewId: string | undefined): readonly PartDraft[] {
  return held !== undefined && held.interviewId === interviewId ? held.parts : [];
}

export function heldFilesOf(interviewId: string | undefined): readonly File[] {
  return heldPartsOf(interviewId).flatMap((part) => ('blob' in part && part.blob instanceof File ? [part.blob] : []));
}

export function releaseParts(): void {
  held = undefined;
}
