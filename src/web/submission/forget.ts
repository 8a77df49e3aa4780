import type { SubmissionStore } from './store.ts';
import { forgetUnsentFiles } from './use-chosen-files.ts';

/** Forgets everything that this tab has of a contribution: it is handed in, or discarded. */
export function forgetContribution(store: SubmissionStore, interviewId: string): void {
  store.clear(interviewId);
  forgetInterview(interviewId);
  forgetUnsentFiles(interviewId);
}

/** Forgets the interview that its screen keeps for a way back (decision 0363). */
export function forgetInterview(interviewId: string | undefined): void {
  const mark = `"interviewId":${JSON.stringify(interviewId)}`;
  for (const [key, value] of Object.entries(sessionStorage))
    if (key.startsWith('interview:') && String(value).includes(mark)) sessionStorage.removeItem(key);
}
