import type { BackendClient } from '#web/backend/client.ts';
import { updateWAnswers, type WAnswers } from '#web/backend/interviews.ts';
import { numericId } from './local-id.ts';

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
    sessionStorage.setItem(`w_questions_answers:${interviewId}`, JSON.stringify(answers));
  } catch {
    console.warn('browser storage: W-answers could not be kept');
  }
  return 'kept';
}
