import { tryToStore } from '#web/backend/browser-storage.ts';

/** The interview whose late words are in the text that is being corrected. */
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

/** `before`: the transcript that the interview ended with. One that goes on has late words of its own. */
type Interview = Readonly<{ id: number; before: string }>;

export function hasLateWords(interview: Interview): boolean {
  return sessionStorage.getItem(KEY) === describeInterview(interview);
}

export function noteLateWords(interview: Interview): void {
  tryToStore(sessionStorage, KEY, describeInterview(interview));
}

function describeInterview({ id, before }: Interview): string {
  return `${id}:${before.length}`;
}
