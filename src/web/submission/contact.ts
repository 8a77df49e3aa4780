import { SIMULATED_LOCAL_SAVE_MS } from '#contract/limits.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { saveContact, type Contact } from '#web/backend/interviews.ts';
import { numericId } from './local-id.ts';
import { sleep, type Sleep } from './retry.ts';

/** §4 'Contact form submit': saved for a numeric id; a local id only waits 0.5 s. Throws BackendError. */
export async function submitContact(
  backend: BackendClient,
  interviewId: string,
  contact: Contact,
  now: Date,
  wait: Sleep = sleep,
): Promise<'saved' | 'local'> {
  const id = numericId(interviewId);
  if (id === undefined) {
    await wait(SIMULATED_LOCAL_SAVE_MS);
    return 'local';
  }
  await saveContact(backend, id, contact, now);
  return 'saved';
}
