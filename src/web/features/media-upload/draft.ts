import { useState } from 'react';
import type { AreaId } from '#contract/areas.ts';
import { W_ANSWER_MIN_LENGTH_IMAGES } from '#contract/limits.ts';
import { isLike } from '#web/backend/stored-session.ts';
import { NO_ANSWERS, W_QUESTIONS, type WAnswers } from '#web/backend/w-questions.ts';
import { useFlow } from '#web/submission/flow.ts';
import type { MediaKind } from './texts.ts';

type WQuestion = (typeof W_QUESTIONS)[number];

/**
 * §5: a video's answers must not be empty after trimming, an image's have at least 2 characters. In the order asked.
 */
export function unanswered(kind: MediaKind, answers: WAnswers): readonly WQuestion[] {
  const least = kind === 'image' ? W_ANSWER_MIN_LENGTH_IMAGES : 1;
  return W_QUESTIONS.filter((question) => answers[question].trim().length < least);
}

export function trimmed(answers: WAnswers): WAnswers {
  const { who, what, when, where, why } = answers;
  return { who: who.trim(), what: what.trim(), when: when.trim(), where: where.trim(), why: why.trim() };
}

/** What has been typed or said so far; it outlives back and reload (session storage). The file itself cannot. */
type Draft = Readonly<{ answers: WAnswers; transcript: string }>;

const EMPTY_DRAFT: Draft = { answers: NO_ANSWERS, transcript: '' };

type DraftPlace = Readonly<{ area: AreaId; kind: MediaKind }>;

function readDraft(place: DraftPlace): Draft {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(getKey(place)) ?? '');
    return isLike(kept, EMPTY_DRAFT) ? kept : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

function writeDraft(place: DraftPlace, draft: Draft): void {
  try {
    sessionStorage.setItem(getKey(place), JSON.stringify(draft));
  } catch {
    console.warn('browser storage: a description could not be kept');
  }
}

function forgetDraft(place: DraftPlace): void {
  sessionStorage.removeItem(getKey(place));
}

function getKey({ area, kind }: DraftPlace): string {
  return `media_draft:${area}:${kind}`;
}

/** The description so far, kept with every key stroke. */
export function useMediaDraft(kind: MediaKind) {
  const { area } = useFlow();
  const place = { area: area.id, kind };
  const [draft, setDraft] = useState(() => readDraft(place));
  const [found] = useState(() => Object.values(draft.answers).some((answer) => answer.trim() !== ''));
  const keep = (next: typeof draft) => {
    setDraft(next);
    writeDraft(place, next);
  };
  return {
    answers: draft.answers,
    transcript: draft.transcript,
    /** Whether this screen was opened with answers from before. */
    found,
    answer: (answers: WAnswers) => keep({ ...draft, answers }),
    say: (transcript: string) => keep({ ...draft, transcript }),
    forget: () => {
      setDraft(EMPTY_DRAFT);
      forgetDraft(place);
    },
  };
}
