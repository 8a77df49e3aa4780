import * as z from 'zod/mini';
import type { AreaId } from '#contract/areas.ts';
import { NO_ANSWERS } from './w-questions.ts';
import type { MediaKind } from './texts.ts';

/** What has been typed or said so far; it outlives back and reload (session storage). The file itself cannot. */
const DraftSchema = z.object({
  answers: z.object({ who: z.string(), what: z.string(), when: z.string(), where: z.string(), why: z.string() }),
  transcript: z.string(),
});
export type Draft = z.infer<typeof DraftSchema>;

export const EMPTY_DRAFT: Draft = { answers: { ...NO_ANSWERS }, transcript: '' };

export type DraftPlace = Readonly<{ area: AreaId; kind: MediaKind }>;

export function readDraft(place: DraftPlace): Draft {
  try {
    return DraftSchema.parse(JSON.parse(sessionStorage.getItem(keyOf(place)) ?? ''));
  } catch {
    return EMPTY_DRAFT;
  }
}

export function writeDraft(place: DraftPlace, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify(draft));
  } catch {
    console.warn('browser storage: a description could not be kept');
  }
}

export function forgetDraft(place: DraftPlace): void {
  sessionStorage.removeItem(keyOf(place));
}

function keyOf({ area, kind }: DraftPlace): string {
  return `media_draft:${area}:${kind}`;
}
