import { tryToStore } from '#web/backend/browser-storage.ts';

/** The contribution whose late words are in the text that is being corrected. */
const KEY = 'late_words';

/** When to look for them, each after the one before. */
const LOOKS_MS = [1_500, 2_000, 4_000, 8_000, 16_000];

/**
 * Looks for what the server understands only after the end of an interview: it writes these words to the row alone.
 * `take` gets the row's transcript and tells whether they were in it. Returns the way to stop looking.
 */
export function watchLateWords(read: () => Promise<string | undefined>, take: (known: string) => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const look = ([wait, ...waits]: readonly number[]): void => {
    if (wait === undefined) return;
    const ask = async (): Promise<void> => {
      const known = await read().catch(() => undefined);
      if (!stopped && !(known !== undefined && take(known))) look(waits);
    };
    timer = setTimeout(() => void ask(), wait);
  };
  look(LOOKS_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** What follows `before` in `known`; '' where that is another text. */
export function findLateWords(before: string, known: string): string {
  return known.startsWith(before) ? known.slice(before.length) : '';
}

export function hasLateWords(interviewId: number): boolean {
  return sessionStorage.getItem(KEY) === String(interviewId);
}

export function noteLateWords(interviewId: number): void {
  tryToStore(sessionStorage, KEY, String(interviewId));
}
