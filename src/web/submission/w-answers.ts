import * as z from 'zod/mini';
import type { BackendClient } from '#web/backend/client.ts';
import { updateWAnswers, type WAnswers } from '#web/backend/interviews.ts';
import { numericId } from './local-id.ts';

const Answers = z.object({ who: z.string(), what: z.string(), when: z.string(), where: z.string(), why: z.string() });

/** §5: saved for a numeric id only; those of a local id stay in this browser. Throws BackendError. */
export async function saveWAnswers(
  backend: BackendClient,
  interviewId: string,
  answers: WAnswers,
): Promise<'saved' | 'kept'> {
  const id = numericId(interviewId);
  if (id !== undefined) {
    await updateWAnswers(backend, id, answers);
    return 'saved';
  }
  try {
    sessionStorage.setItem(keyOf(interviewId), JSON.stringify(answers));
  } catch {
    console.warn('browser storage: W-answers could not be kept');
  }
  return 'kept';
}

/** Those of a local id, where this tab has them. */
export function keptAnswersOf(interviewId: string): WAnswers | undefined {
  try {
    return Answers.safeParse(JSON.parse(sessionStorage.getItem(keyOf(interviewId)) ?? '')).data;
  } catch {
    return undefined;
  }
}

function keyOf(interviewId: string): string {
  return `w_questions_answers:${interviewId}`;
}
