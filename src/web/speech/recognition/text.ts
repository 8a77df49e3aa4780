import type { RecognitionResultEvent } from './browser-recognition.ts';

export type Heard = Readonly<{ final: string; interim: string }>;

export const NOTHING_HEARD: Heard = { final: '', interim: '' };

/** Everything one run of the recogniser has understood so far; each event carries all results of the run. */
export function heardIn(event: RecognitionResultEvent): Heard {
  const results = Array.from(event.results);
  const text = (isFinal: boolean): string =>
    joinText(results.filter((result) => result.isFinal === isFinal).map((result) => result[0]?.transcript ?? ''));
  return { final: text(true), interim: text(false) };
}

export function joinText(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}
